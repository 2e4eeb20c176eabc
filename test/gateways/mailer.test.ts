import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { createGateways } from '../../src/gateways/gateways.ts';
import { createLocalMailer } from '../../src/gateways/mail/local-mailer.ts';
import { type Mailer, MailRefusal } from '../../src/gateways/mail/mailer.ts';
import { createSmtpMailer } from '../../src/gateways/mail/smtp-mailer.ts';
import { createTestDatabase } from '../support/app.ts';
import { arrivedMails } from '../support/arrived.ts';

const mail = () => ({
  reference: `mail-1-${randomUUID()}`,
  fromName: 'Röntgen & Co.',
  to: 'pat@example.com',
  subject: 'Größe',
  body: 'Line 1\n.\nLine 3 ✓',
});

describe('the mailer over SMTP', () => {
  let server: SMTPServer;
  let mailer: Mailer;
  let received: string[];
  /** Reply codes of the server to the next recipients; it accepts the others. */
  let answers: number[];

  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo(_address, _session, done) {
        const code = answers.shift();
        done(code === undefined ? null : Object.assign(new Error('not now'), { responseCode: code }));
      },
      onAuth(auth, _session, done) {
        done(auth.password === 'right' ? null : Object.assign(new Error('no'), { responseCode: 535 }), { user: 'x' });
      },
      onData(stream, _session, done) {
        let text = '';
        stream.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        stream.on('end', () => {
          received.push(text);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port()}`, from: 'desk@practice.example' });
  });
  afterAll(() => new Promise<void>((resolve) => void server.close(resolve)));
  beforeEach(() => {
    received = [];
    answers = [];
  });
  const port = () => {
    const address: AddressInfo | string | null = server.server.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  };

  it('delivers once, whole, under a Message-ID that is made from the reference', async () => {
    const sent = mail();
    expect(await mailer.send(sent)).toEqual({ id: `<${sent.reference}@practice.example>` });
    expect(received).toHaveLength(1);
    const [text = ''] = received;
    expect(text).toContain(`Message-ID: <${sent.reference}@practice.example>`);
    expect(text).toMatch(/^From: .*<desk@practice\.example>\r$/m);
    expect(text).toMatch(/^To: .*pat@example\.com>?\r$/m);
    const [, body = ''] = text.split('\r\n\r\n');
    const plain = /base64/i.test(text) ? Buffer.from(body, 'base64').toString() : decoded(body);
    expect(plain.trim().replaceAll('\r\n', '\n')).toBe(sent.body);
  });

  it.each([421, 450, 451, 452])('may try again after %s, as greylisting has it, and is then taken', async (code) => {
    answers = [code];
    const sent = mail();
    const failure = await mailer.send(sent).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(MailRefusal);
    await mailer.send(sent);
    expect(received).toHaveLength(1);
  });

  it.each([550, 551, 553, 554])('is refused for good by %s, without the address in the error', async (code) => {
    answers = [code];
    const failure = await mailer.send(mail()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MailRefusal);
    expect(String(failure)).not.toContain('pat@example.com');
    expect(received).toEqual([]);
  });

  it('takes a wrong password of ours for something that can be mended', async () => {
    const wrong = createSmtpMailer({ url: `smtp://user:wrong@127.0.0.1:${port()}`, from: 'desk@practice.example' });
    const failure = await wrong.send(mail()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(MailRefusal);
    await createSmtpMailer({ url: `smtp://user:right@127.0.0.1:${port()}`, from: 'desk@practice.example' }).send(mail());
    expect(received).toHaveLength(1);
  });

  it('may try again where no server answers', async () => {
    const nowhere = createSmtpMailer({ url: 'smtp://127.0.0.1:1', from: 'desk@practice.example' });
    const failure = await nowhere.send(mail()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(MailRefusal);
  });

  it('sends nothing in the clear to another machine, unless the operator says so', async () => {
    // This machine in a spelling that is not taken for it.
    const url = `smtp://[::ffff:127.0.0.1]:${port()}`;
    const failure = await createSmtpMailer({ url, from: 'desk@practice.example' })
      .send(mail())
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(MailRefusal);
    expect(received).toEqual([]);
    await createSmtpMailer({ url: `${url}?ignoreTLS=true`, from: 'desk@practice.example' }).send(mail());
    expect(received).toHaveLength(1);
  });

  it('lets no name, subject or address add a header or another recipient', async () => {
    await mailer.send({ ...mail(), fromName: 'A\r\nBcc: other@example.com', subject: 'B\r\nX-Evil: 1' });
    expect(received[0]).not.toMatch(/^(Bcc|X-Evil):/im);
    await mailer.send({ ...mail(), to: 'pat@example.com, other@example.com' }).catch(() => {});
    expect(received.slice(1).join()).not.toMatch(/^To:.*pat@example\.com>?, ?<?other@example\.com/m);
  });
});

/** Decodes a quoted-printable mail. */
function decoded(body: string): string {
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n..', '\r\n.');
}

describe('the configuration', () => {
  it('asks for the address that mails are from', () => {
    expect(() => readConfig({ SMTP_URL: 'smtp://127.0.0.1:25' })).toThrow(/^MAIL_FROM: must be set if SMTP_URL is/);
  });

  it.each([
    ['local', {}],
    ['smtp', { SMTP_URL: 'smtps://user:password@mail.example.com:465', MAIL_FROM: 'desk@practice.example' }],
  ])('chooses the %s mailer', async (name, env) => {
    const config = readConfig({ NODE_ENV: 'test', MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`, ...env });
    const database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', poolSize: 1 });
    expect((await createGateways(config, database, createKeyring(config.MASTER_KEYS))).mailer.name).toBe(name);
    await database.close();
  });
});

describe('the local mailer', () => {
  it('keeps a mail once, also when it is handed over several times at once', async () => {
    const database = openDatabase({ url: await createTestDatabase(), poolSize: 5 });
    try {
      const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]);
      const mailer = createLocalMailer(database.prisma, keyring);
      const sent = mail();
      const ids = await Promise.all(Array.from({ length: 5 }, () => mailer.send(sent)));
      expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
      const { reference, fromName, to: toAddress, subject, body } = sent;
      expect(await arrivedMails(database.prisma, keyring)).toEqual([
        { reference, fromName, toAddress, subject, body, sentAt: expect.any(Date) },
      ]);
    } finally {
      await database.close();
    }
  });
});
