import type { Reading } from './reader';

/** Reads with the client of one generator: its name and the reading as JSON are the arguments, the last names are the output. */
async function main([generator, reading]: string[]): Promise<void> {
  const readers = {
    'openapi-typescript': () => import('./openapi-typescript'),
    'hey-api': () => import('./hey-api'),
    orval: () => import('./orval'),
  };
  if (generator !== 'openapi-typescript' && generator !== 'hey-api' && generator !== 'orval') throw new Error('no such generator');
  const { read } = await readers[generator]();
  const given: Reading = JSON.parse(reading ?? '');
  console.log(JSON.stringify(await read(given)));
}

void main(process.argv.slice(2));
