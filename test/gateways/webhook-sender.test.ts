import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWebhookSender } from '../../src/gateways/requests/webhook-sender.ts';

const never = new AbortController().signal;

async function serve(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

function senderWith(allowPrivate = true) {
  const sender = createWebhookSender({ allowPrivate });
  onTestFinished(() => sender.close());
  return (url: string, signal: AbortSignal = never) => sender.post({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' }, signal);
}

describe('a webhook message', () => {
  it('goes over the connection of the one before', async () => {
    let connections = 0;
    const { server, url } = await serve((request, response) => void request.resume().on('end', () => response.end('thanks')));
    server.on('connection', () => (connections += 1));
    const post = senderWith();
    for (let count = 0; count < 5; count += 1) expect(await post(url)).toMatchObject({ status: 200, body: 'thanks' });
    expect(connections).toBe(1);
  });

  it('goes over another connection where the receiver has closed the kept one', async () => {
    const { url } = await serve((request, response) => {
      request.resume().on('end', () => response.end('thanks', () => request.socket.resetAndDestroy()));
    });
    const post = senderWith();
    for (let count = 0; count < 5; count += 1) expect(await post(url)).toMatchObject({ failure: null, status: 200 });
  });

  it('is answered with the first kilobyte of an answer that is too large, or that breaks off', async () => {
    const { url } = await serve((request, response) => {
      request.resume();
      response.end(Buffer.alloc(5_000_000, 'a'));
    });
    const post = senderWith();
    expect(await post(url)).toEqual({ failure: null, status: 200, retryAfter: undefined, body: 'a'.repeat(1_024) });
    const broken = await serve((request, response) => {
      response.writeHead(202, { 'content-length': '100' }).write('half', () => request.socket.destroy());
    });
    expect(await post(broken.url)).toMatchObject({ failure: null, status: 202, body: 'half' });
  });

  it('is told the status, and how long to wait, and is not sent where a redirection leads', async () => {
    const paths: (string | undefined)[] = [];
    const { url } = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere', 'retry-after': '120' }).end();
    });
    expect(await senderWith()(url)).toEqual({ failure: null, status: 307, retryAfter: '120', body: '' });
    expect(paths).toEqual(['/hook']);
  });

  it('has no answer where the receiver hangs up, speaks another language, or is stopped waiting for', async () => {
    const post = senderWith();
    const hangsUp = await serve((request) => void request.socket.destroy());
    expect(await post(hangsUp.url)).toMatchObject({ failure: 'unreachable', status: null, body: null });
    const speaksAnother = await serve((request) => void request.socket.end('220 mail.example.com ESMTP\r\n'));
    expect(await post(speaksAnother.url)).toMatchObject({ failure: 'no_http' });
    expect(await post(speaksAnother.url.replace('http:', 'https:'))).toMatchObject({ failure: 'no_http' });
    const waits = await serve((request) => void request.resume());
    expect(await post(waits.url, AbortSignal.timeout(50))).toMatchObject({ failure: 'timeout', status: null });
  });

  it('is answered by a change of protocols, which is no success, and never waited for without end', async () => {
    const { server, url } = await serve(() => {});
    server.on('connection', (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'));
    const post = senderWith();
    expect(await post(url)).toMatchObject({ failure: null, status: 101 });
    const hints = await serve((request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      request.socket.destroySoon();
    });
    expect(await post(hints.url)).toMatchObject({ failure: 'unreachable' });
  });

  it('is not sent to private addresses, over http, or with a password in the address', async () => {
    const post = senderWith(false);
    const refused = [
      'http://example.com/hook',
      'https://127.0.0.1/hook',
      'https://[::ffff:10.0.0.1]/hook',
      'https://localhost/hook',
      'https://user:word@example.com/hook',
    ];
    for (const url of refused) expect(await post(url), url).toMatchObject({ failure: 'refused_address', status: null });
  });
});
