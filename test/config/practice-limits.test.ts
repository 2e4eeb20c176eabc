import { expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { readComplaint } from './complaint.ts';

const read = (PRACTICE_LIMITS: string) => readConfig({ NODE_ENV: 'test', PRACTICE_LIMITS }).PRACTICE_LIMITS;

it('limits of a practice keep their defaults where they are not named', () => {
  const defaults = { clients: 200, endpoints: 50, streams: 50, imports: 10, numbers: 100 };
  expect(read('')).toEqual(defaults);
  expect(read('numbers = 500, clients=300,')).toEqual({ ...defaults, clients: 300, numbers: 500 });
});

it('each part that is wrong is named', () => {
  expect(readComplaint(() => read('client=5,streams=many,imports=1,imports=2,numbers=0')).split('\n')).toEqual([
    'PRACTICE_LIMITS: "client" is not one of its limits: clients, endpoints, streams, imports, numbers',
    'PRACTICE_LIMITS: streams must be a whole number from 1 to 999999999, as in streams=50',
    'PRACTICE_LIMITS: imports is set twice',
    'PRACTICE_LIMITS: numbers must be a whole number from 1 to 999999999, as in numbers=100',
  ]);
});
