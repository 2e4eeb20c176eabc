import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/http/logger.ts';
import { startJobs } from '../../src/jobs/scheduler.ts';
import { startTracing } from '../../src/startup/start-tracing.ts';
import { activeTracer, inSpan, traceGateway, traceHeaders } from '../../src/tracing/spans.ts';
import { openQueueing, practiceWithNumber } from '../jobs/outgoing.ts';
import { integrationClient } from '../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { startCollector } from '../support/collector.ts';
import { eventually } from '../support/server-process.ts';

const collector = await closedAfterAll(startCollector());
const lines: string[] = [];
const logger = createLogger({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) });
const SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer collector' },
  OTEL_SERVICE_NAME: 'clinic',
  OTEL_TRACES_SAMPLER_ARG: 1,
};
const stopTracing = await startTracing(SETTINGS, logger);
afterAll(stopTracing);
const test = await ownTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
const clinic = await integrationClient(test);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const inTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** The span of a name once the collector has it. */
async function arrived(name: string, traceId?: string) {
  const find = () => collector.spans.find((span) => span.name === name && (traceId === undefined || span.traceId === traceId));
  await eventually(`the span ${name} is there`, async () => find() !== undefined);
  const span = find();
  if (!span) throw new Error('it went again');
  return span;
}

describe('a trace', () => {
  it('has the request in the trace of its caller, and within it the statements by name, with nothing of the patient', async () => {
    await clinic
      .post('/patients')
      .set({ traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'traced-2' })
      .send({ fname: 'Quimbelina', lname: 'Zwobodnik', med_rec_no: 'MRN-90817', dob: '1937-05-23' })
      .expect(200);
    await clinic.get('/patients/mrn/MRN-90817').set('traceparent', `00-${TRACE}-${CALLER}-01`).expect(200);
    const request = await arrived('POST /api/patients', TRACE);
    expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2, status: {} });
    expect(request.attributes).toEqual(
      expect.arrayContaining([
        { key: 'http.request.method', value: { stringValue: 'POST' } },
        { key: 'http.response.status_code', value: { intValue: '200' } },
        { key: 'triptych.request_id', value: { stringValue: 'traced-2' } },
      ]),
    );
    const read = await arrived('GET /api/patients/mrn/{mrn}', TRACE);
    const below = (span: typeof read) => inTrace(TRACE).filter(({ parentSpanId }) => parentSpanId === span.spanId);
    expect(below(request).length).toBeGreaterThan(0);
    expect(below(read).map(({ kind }) => kind)).toContain(3);
    for (const span of [...below(request), ...below(read)]) {
      expect(span.name).toMatch(/^[A-Za-z_][\w-]*( [a-z_]\w*)?$/);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    }
    expect(Math.abs(Number(BigInt(request.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
    expect(collector.bodies.join('\n')).not.toMatch(/Quimbelina|Zwobodnik|MRN-90817|1937-05-23/);
    expect(collector.refused).toEqual([]);
    expect(collector.headers[0]).toMatchObject({ authorization: 'Bearer collector' });
    expect(collector.bodies[0]).toContain('{"key":"service.name","value":{"stringValue":"clinic"}}');
  });

  it('begins anew where the header is none', async () => {
    for (const traceparent of ['', '00-xyz', `00-${'0'.repeat(32)}-${CALLER}-01`, `ff-${TRACE}-${CALLER}-01`]) {
      const before = new Set(collector.spans);
      await clinic.get('/appointments/types').set('traceparent', traceparent).expect(200);
      const find = () => collector.spans.find((span) => !before.has(span) && span.name === 'GET /api/appointments/types');
      await eventually('the span is there', async () => find() !== undefined);
      expect(find()).not.toHaveProperty('parentSpanId');
      expect(find()?.traceId).not.toBe(TRACE);
    }
  });

  it('has the job that sends a text, the call of the carrier within it, and neither number nor words', async () => {
    const sending = openQueueing(test);
    const organizationId = await practiceWithNumber(test);
    const stopJobs = startJobs({ ...test.services, origin: test.address });
    await sending.text(organizationId, { to: '+19195550147', body: 'Zwobodnik, come tomorrow' });
    const call = await arrived('carrier.sendText');
    const job = await arrived('job send-text', call.traceId);
    await arrived('job seal-audit');
    await stopJobs();
    await sending.outbox.close();
    expect(call).toMatchObject({ kind: 3, parentSpanId: job.spanId, attributes: [] });
    expect(job.kind).toBe(1);
    expect(collector.bodies.join('\n')).not.toMatch(/Zwobodnik|9195550147/);
  });

  it('says of what failed that it failed, and no more', async () => {
    const failing = inSpan({ kind: 'job', name: 'job that fails' }, () => Promise.reject(new Error('Zwobodnik')));
    await expect(failing).rejects.toThrow('Zwobodnik');
    expect((await arrived('job that fails')).status).toEqual({ code: 2 });
    expect(collector.bodies.join('\n')).not.toContain('Zwobodnik');
  });

  it('goes on to receivers of webhooks by a header', () => {
    const [outside, inside] = [traceHeaders(), inSpan({ kind: 'job', name: 'job send-webhook' }, traceHeaders)];
    expect(outside).toEqual({});
    expect(inside.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

it('a collector that is away loses spans and holds nothing up; without a collector nothing is traced', async () => {
  await stopTracing();
  const away = await startTracing({ ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, logger);
  inSpan({ kind: 'job', name: 'lost' }, () => undefined);
  await away();
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)).toMatchObject([{ spans: 1 }]);
  const stop = await startTracing({ ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: undefined }, logger);
  const gateway = { send: () => 1 };
  expect([activeTracer(), traceGateway('any', gateway) === gateway, inSpan({ kind: 'job', name: 'plain' }, () => 2)]).toEqual([
    undefined,
    true,
    2,
  ]);
  await stop();
});
