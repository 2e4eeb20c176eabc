import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { integrationClient } from '../support/actors.ts';
import { ownTestApp, startTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { readSamples } from '../support/metrics.ts';
import { eventually } from '../support/server-process.ts';

const test = await ownTestApp();

const samples = async (name: string) => readSamples((await test.http.get('/metrics')).text, name);
const answers = async () => (await samples('http_responses_total')).map(({ labels, value }) => ({ ...labels, value }));

describe('/healthz and /readyz', () => {
  it('tell that it lives and can serve', async () => {
    const [health, ready] = [await test.http.get('/healthz'), await test.http.get('/readyz')];
    expect([health.status, health.body]).toEqual([200, { status: 'alive' }]);
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready', jobs: 'running' }]);
  });

  it('tell whether anybody runs jobs, and so do the front page and doctor', async () => {
    const idle = await startTestApp({ RUN_JOBS: 'false' });
    onTestFinished(() => idle.close());
    const readStandings = async () => {
      const [{ status, body }, { text }] = [await idle.http.get('/readyz'), await idle.http.get('/').expect(200)];
      const said = await admin(toEnvironment(idle), ['doctor', '--only', 'jobs'], '', idle.database);
      return [status, body.jobs, /no process runs jobs/.test(text), said.code, /^\w+ +jobs +(.*)$/m.exec(said.out)?.[1]];
    };
    expect(await readStandings()).toEqual([200, 'not running', true, 1, 'no process has run jobs on this database yet']);
    const stop = startJobs({ ...idle.services, origin: idle.address });
    await eventually('jobs are seen', async () => (await readStandings().catch(() => []))[1] === 'running').finally(stop);
    expect(await readStandings()).toEqual([200, 'running', false, 0, 'a process runs them']);
    await idle.database.pool.query(
      "UPDATE queue.queue SET monitor_on = now() - interval '3 minutes', monitor_claim_on = now() - interval '3 minutes'",
    );
    expect(await readStandings()).toEqual([200, 'not running', true, 1, 'no process has run them for 3 min']);
  });

  it('tell of a clock that differs from that of the database, and stay ready', async () => {
    const { http, close } = await startTestApp();
    onTestFinished(() => close());
    const now = Date.now;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 61_000);
    onTestFinished(() => clock.mockRestore());
    const warnings = [expect.stringMatching(/^this machine's clock is \d+ ms behind the database's$/)];
    expect(await http.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', warnings } });
  });

  it('tell that migrations are pending', async () => {
    const behind = await startTestApp();
    onTestFinished(() => behind.close());
    await runAsOwner(behind.databaseUrl, 'UPDATE _prisma_migrations SET finished_at = NULL');
    const ready = await behind.http.get('/readyz');
    expect([ready.status, ready.body]).toEqual([503, { status: 'migrations pending' }]);
    await runAsOwner(behind.databaseUrl, 'DROP TABLE _prisma_migrations');
    expect((await behind.http.get('/readyz')).status).toBe(503);
    expect((await behind.http.get('/healthz')).status).toBe(200);
  });

  it('ask for no token and leave no line in the log', async () => {
    const before = test.logs.length;
    await test.http.get('/healthz');
    await test.http.get('/readyz');
    await test.http.get('/metrics');
    expect(test.logs.slice(before).filter((line) => line.includes('answered'))).toEqual([]);
  });
});

describe('/metrics', () => {
  it('is Prometheus text', async () => {
    const { status, headers, text } = await test.http.get('/metrics');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const sample = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="([^"\\\n]|\\.)*",?)*\})? (-?[\d.e+-]+|[Nn]a[Nn]|[+-]Inf)$/;
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => !/^(# (HELP|TYPE) .+)?$/.test(line) && !sample.test(line))).toEqual([]);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds', 'database_connections'])
      expect(text).toContain(`# TYPE ${name} `);
  });

  it('has a port of its own where the operator names one, and is nowhere else', async () => {
    const apart = await startTestApp({ METRICS_PORT: '0', METRICS_TOKEN: 'a-token-for-prometheus' }, { databaseUrl: test.databaseUrl });
    onTestFinished(() => apart.close());
    const [, port] = /metrics are served on port (\d+)/.exec(apart.logs.join('')) ?? [];
    const address = `http://127.0.0.1:${port}/metrics`;
    const headers = { authorization: 'Bearer a-token-for-prometheus' };
    const answers = [await fetch(address, { headers }), await fetch(address), await fetch(`${address}/x`, { headers })];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404]);
    expect(await answers[0]?.text()).toContain('# TYPE http_request_duration_seconds ');
    await apart.http.get('/metrics').set(headers).expect(404);
  });

  it('is not there in production without a token', async () => {
    const open = await startTestApp(
      { NODE_ENV: 'production', PUBLIC_URL: 'http://localhost', TRIPTYCH_MAIL: 'local' },
      { databaseUrl: test.databaseUrl },
    );
    onTestFinished(() => open.close());
    await open.http.get('/metrics').expect(404);
  });

  it('counts answers by operation and status, with nothing of the address', async () => {
    const clinic = await integrationClient(test);
    await clinic.post('/patients').send({ med_rec_no: 'METRIC-1' });
    await clinic.get('/patients/mrn/METRIC-1');
    await clinic.get('/patients/mrn/METRIC-2');
    await clinic.get('/patients/mrn/METRIC-3');
    const counted = await answers();
    expect(counted).toContainEqual({ operation: 'GET /api/patients/mrn/{mrn}', status: '200', value: 1 });
    expect(counted).toContainEqual({ operation: 'GET /api/patients/mrn/{mrn}', status: '404', value: 2 });
    expect((await test.http.get('/metrics')).text).not.toContain('METRIC');
  });

  it('tells of whom a slow response was, by the id of its request, to who asks for OpenMetrics', async () => {
    const clinic = await integrationClient(test);
    await clinic.get('/appointments/types').set('x-request-id', 'exemplar-1');
    await clinic.get('/appointments/types').set('x-request-id', 'e'.repeat(128)).expect(200);
    const plain = await test.http.get('/metrics');
    expect(plain.text).not.toContain('exemplar-1');
    const { status, headers, text } = await test.http
      .get('/metrics')
      .set('accept', 'application/openmetrics-text; version=1.0.0,text/plain;q=0.5');
    expect([status, headers['content-type']]).toEqual([200, 'application/openmetrics-text; version=1.0.0; charset=utf-8']);
    expect(text).toMatch(
      /^http_request_duration_seconds_bucket\{(?=[^}]*operation="GET \/api\/appointments\/types")[^}]*\} \d+ # \{request_id="exemplar-1"\} [\d.e-]+ [\d.]+$/m,
    );
    expect(text).toMatch(/^# TYPE http_responses counter\nhttp_responses_total\{/m);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    expect(text).not.toMatch(/\n\n/);
    // prom-client would rename the counters for good.
    expect((await test.http.get('/metrics')).text).toContain('# TYPE http_responses_total counter');
  });

  it('has one label for all addresses that are no operation, and for all methods', async () => {
    const clinic = await integrationClient(test);
    await clinic.get('/nothing');
    const before = await answers();
    for (let number = 0; number < 30; number += 1) await test.http.get(`/nothing/${number}`);
    await Promise.all(['PATCH', 'OPTIONS', 'PUT', 'DELETE'].map((method) => fetch(`${test.address}/v1/${method.length}/x`, { method })));
    const after = await answers();
    expect(after).toHaveLength(before.length);
    const unknown = (counted: typeof after) => counted.find((one) => 'operation' in one && one.operation === '(no such path)')?.value ?? 0;
    expect(unknown(after) - unknown(before)).toBe(34);
  });

  it('tells how the connections are doing', async () => {
    const held = await Promise.all(Array.from({ length: test.config.DATABASE_POOL }, () => test.database.pool.connect()));
    const waiting = test.database.pool.query('SELECT 1');
    const states = Object.fromEntries((await samples('database_connections')).map(({ labels, value }) => [labels.state, value]));
    expect(states).toEqual({ open: test.config.DATABASE_POOL, idle: 0, waited_for: expect.any(Number) });
    // The log of requests may wait too.
    expect(states.waited_for).toBeGreaterThanOrEqual(1);
    for (const client of held) client.release();
    await waiting;
    const { text } = await test.http.get('/metrics');
    const [allowed, waits] = ['database_connections_allowed', 'database_connection_waits_total'].map(
      (name) => readSamples(text, name)[0]?.value,
    );
    expect(allowed).toBe(test.config.DATABASE_POOL);
    expect(waits).toBeGreaterThanOrEqual(1);
    expect(readSamples(text, 'database_connection_wait_seconds_total')[0]?.value).toBeGreaterThan(0);
  });
});
