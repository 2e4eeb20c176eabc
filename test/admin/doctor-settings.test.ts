import { describe, expect, it } from 'vitest';
import { ownTestApp } from '../support/app.ts';
import { runAsSuperuser } from '../support/database-roles.ts';
import { admin, toEnvironment } from './command-line.ts';

const test = await ownTestApp();
const env = toEnvironment(test);
const doctor = async (checks: string, more = {}) => admin({ ...env, ...more }, ['doctor', '--only', checks]);

describe('doctor', () => {
  it('warns of no choice that the operator has said', async () => {
    const production = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'http://127.0.0.1:1',
      TRIPTYCH_MAIL: 'local',
      AUDIT_ANCHOR: `file:${test.config.DATA_DIR}`,
      METRICS_PORT: '0',
    };
    const checks = 'configuration,mail,carrier,video,certificate';
    const silent = await doctor(checks, production);
    expect(silent.code).toBe(1);
    expect([...silent.out.matchAll(/^warn +(\w+)/gm)].map(([, check]) => check)).toEqual(['carrier', 'video']);
    const said = await doctor(checks, { ...production, TRIPTYCH_CARRIER: 'local', ICE_SERVERS: 'none' });
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/All is well\.\n$/) });
  });

  it('knows a PostgreSQL whose log may quote what patients wrote', async () => {
    expect(await doctor('database log')).toMatchObject({ code: 0 });
    const name = new URL(test.databaseUrl).pathname.slice(1);
    await runAsSuperuser(test.databaseUrl, `ALTER DATABASE ${name} SET log_min_error_statement = 'error'`);
    expect(await doctor('database log')).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /patient data: log_min_error_statement\n +In postgresql\.conf: log_min_error_statement = panic; then reload\.\n/,
      ),
    });
    const settings = ['log_min_duration_sample = 0', 'log_transaction_sample_rate = 0.5', 'debug_print_plan = on'];
    for (const setting of settings) await runAsSuperuser(test.databaseUrl, `ALTER DATABASE ${name} SET ${setting}`);
    const found = /patient data: debug_print_plan, log_min_duration_sample, log_min_error_statement, log_transaction_sample_rate\n/;
    expect((await doctor('database log')).out).toMatch(found);
  });
});
