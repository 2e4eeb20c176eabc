import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { run } from '../../src/admin/program.ts';

/**
 * Runs commands of `npm run admin` for the shells of the pages, in this process: loading them takes a second each time.
 * The response is their output; messages and the exit code go into the file that the request names.
 */
export async function serveCommands(env: Record<string, string>) {
  const server = createServer(async (request, response) => {
    const header = (name: string) => String(request.headers[name]);
    const given = Buffer.from(header('x-words'), 'base64').toString().split('\0').slice(0, -1);
    // A backup would else take the priority of this process away, which it cannot have back.
    const words = isBackup(given) ? [...given, '--full-speed'] : given;
    let errors = '';
    process.chdir(header('x-folder'));
    const code = await run(words, {
      env,
      stdin: request,
      stdout: (text) => void response.write(text),
      stderr: (text) => {
        errors += text;
      },
      // What goes on until Ctrl-C.
      ...(isEndless(words) ? { stopping: AbortSignal.timeout(1_000) } : {}),
    });
    await writeFile(header('x-said'), errors);
    await writeFile(`${header('x-said')}.code`, String(code));
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { address: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}

const isBackup = (words: string[]): boolean => words.slice(0, 2).join(' ') === 'backup create';

const isEndless = (words: string[]): boolean => ['webhooks listen', 'requests tail'].includes(words.slice(0, 2).join(' '));
