import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A message of PostgreSQL's protocol: a letter, its length with that of the length, and the content. */
function message(letter: string, content: Buffer): Buffer {
  const head = Buffer.from([letter.charCodeAt(0), 0, 0, 0, 0]);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const text = (value: string) => Buffer.from(`${value}\0`);
const READY = message('Z', Buffer.from('I'));

/** A column of text without a table, and one row. */
function answer(name: string, value: string): Buffer {
  const column = Buffer.alloc(18);
  // Type text (25) of any length.
  column.writeInt32BE(25, 6);
  column.writeInt16BE(-1, 10);
  column.writeInt32BE(-1, 12);
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(value));
  return Buffer.concat([
    message('T', Buffer.concat([Buffer.from([0, 1]), text(name), column])),
    message('D', Buffer.concat([Buffer.from([0, 1]), length, Buffer.from(value)])),
    message('C', text('SHOW')),
    READY,
  ]);
}

/**
 * A server that speaks PostgreSQL's protocol as far as it takes to be asked for its version; whoever asks for anything else is
 * disconnected.
 * @returns its address as DATABASE_URL, and the statements that it was sent
 */
export async function startOldDatabase(version: string): Promise<{ url: string; asked: string[]; close(): Promise<void> }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isOpen = false;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (!isOpen) {
        isOpen = true;
        const welcome = [message('R', Buffer.alloc(4)), message('S', Buffer.concat([text('server_version'), text(version)])), READY];
        socket.write(Buffer.concat(welcome));
      } else if (bytes.toString('latin1', 0, 1) === 'Q') {
        const statement = bytes.toString('utf8', 5, bytes.length - 1);
        asked.push(statement);
        if (statement === 'SHOW server_version') socket.write(answer('server_version', version));
        else socket.destroy();
      } else socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `postgresql://somebody:something@127.0.0.1:${port}/triptych`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
