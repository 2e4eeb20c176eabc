import { run } from './program.ts';

// An output that is closed early (`| head`, EPIPE) is no failure; any other error of writing, such as a full disk, is.
let unwritten = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  unwritten ||= error.code !== 'EPIPE';
});
const code = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  isTerminal: process.stdin.isTTY,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
});
// Flushes the output before the exit; idle connections must not delay it.
await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
process.exit(unwritten ? 1 : code);
