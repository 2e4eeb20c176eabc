import { expect, it, onTestFinished } from 'vitest';
import { createPrepared, statement } from '../../src/database/statements/statement.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { logStatements } from '../../src/startup/log-statements.ts';
import { integrationClient } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';

const test = await ownTestApp();

/** The lines about statements that are written while something is done. */
async function linesWhile(doing: () => Promise<unknown>, { slowMs, level }: { slowMs: number; level: 'info' | 'debug' }) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ LOG_LEVEL: level }, { write: (line) => void lines.push(JSON.parse(line)) });
  const stop = logStatements(logger, slowMs);
  onTestFinished(stop);
  await doing();
  stop();
  return lines;
}

const SLEEP = statement<never>('test_sleep', 'SELECT pg_sleep($1::float8), $2::text');
const FAIL = statement<never>('test_fail', 'SELECT 1 / ($1::int - 1)');

it('names a statement that takes long, and none of its values', async () => {
  const prepared = createPrepared(test.database.pool);
  const lines = await linesWhile(
    async () => {
      await prepared.rows(SLEEP, [0.06, 'Zwobodnik']);
      await test.database.prisma.$queryRaw`SELECT pg_sleep(0.06)::text, count(*) FROM organization WHERE name = ${'Zwobodnik'}`;
    },
    { slowMs: 50, level: 'info' },
  );
  // A busy machine makes others slow, too.
  const named = lines.map(({ level, msg, statement: name }) => ({ level, msg, name }));
  for (const name of ['test_sleep', 'SELECT organization']) expect(named).toContainEqual({ level: 'warn', msg: 'slow statement', name });
  for (const line of lines) expect(line.ms).toBeGreaterThanOrEqual(50);
  expect(JSON.stringify(lines)).not.toContain('Zwobodnik');
});

it('says that one failed', async () => {
  const doing = () =>
    createPrepared(test.database.pool)
      .rows(FAIL, [1])
      .catch(() => undefined);
  expect(await linesWhile(doing, { slowMs: 0, level: 'info' })).toMatchObject([{ statement: 'test_fail', failed: true }]);
});

it('names every statement at the level debug, those of Prisma by verb and table, with nothing of a patient', async () => {
  const clinic = await integrationClient(test);
  const lines = await linesWhile(
    async () => {
      await clinic.post('/patients').send({ fname: 'Quimbelina', lname: 'Zwobodnik', med_rec_no: 'MRN-90817' });
      await clinic.get('/patients/mrn/MRN-90817').expect(200);
      await clinic.post('/appointments').send({ note: 'Zwobodnik' });
    },
    { slowMs: 60_000, level: 'debug' },
  );
  const names = new Set(lines.map(({ statement: name }) => name));
  expect([...names].map((name) => String(name).replace(/^insert_patient_\d+$/, 'insert_patient'))).toEqual(
    expect.arrayContaining(['insert_patient', 'SELECT api_client']),
  );
  for (const { statement: name } of lines) expect(name).toMatch(/^[A-Za-z_][\w-]*( [a-z_]\w*)?$/);
  expect(JSON.stringify(lines)).not.toMatch(/Quimbelina|Zwobodnik|MRN-90817/);
});

it('logs nothing that is quick', async () => {
  const clinic = await integrationClient(test);
  expect(await linesWhile(() => clinic.get('/appointments/types'), { slowMs: 60_000, level: 'info' })).toEqual([]);
});
