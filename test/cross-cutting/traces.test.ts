import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { startJobs } from '../../src/jobs/queue/scheduler.ts';
import { startTracing } from '../../src/startup/start-tracing.ts';
import { activeTracer, inSpan, traceGateway, traceHeaders } from '../../src/tracing/spans.ts';
import { openQueueing, practiceWithNumber } from '../jobs/outgoing.ts';
import { integrationClient } from '../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../support/app.ts';
import { startCollector } from '../support/collector.ts';
import { eventually } from '../support/server-process.ts';

const collector = await closedAfterAll(startCollector());
const lines: string[] = [];
const logger = createLogger(
  { LOG_LEVEL: 'info', OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
  { write: (line) => void lines.push(line) },
);
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

  it('is named in each line that the log has of its request and of its job, and in no other', async () => {
    await clinic
      .get('/appointments/types')
      .set({ traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'traced-3' })
      .expect(200);
    const line = () => test.logs.map((text) => JSON.parse(text)).find(({ reqId, msg }) => reqId === 'traced-3' && msg === 'answered');
    await eventually('the line is there', async () => line() !== undefined);
    expect(line()).toMatchObject({ trace_id: TRACE, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    await eventually('its span is there', async () => inTrace(TRACE).some(({ spanId }) => spanId === line()?.span_id));
    inSpan({ kind: 'job', name: 'job that tells' }, () => logger.info('told'));
    logger.info('outside');
    const job = await arrived('job that tells');
    const findLine = (msg: string) => lines.map((text) => JSON.parse(text)).find((one) => one.msg === msg);
    expect(findLine('told')).toMatchObject({ trace_id: job.traceId, span_id: job.spanId });
    expect(findLine('outside')).not.toHaveProperty('trace_id');
  });

  it('is named in the line about a caller that left', async () => {
    const { port } = new URL(test.address);
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /oauth2/v1/token HTTP/1.1\r\nhost: ${new URL(test.address).host}\r\ntraceparent: 00-${TRACE}-${CALLER}-01\r\nx-request-id: traced-4\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\n`,
    );
    await eventually('it is under way', async () => /^http_requests_under_way [1-9]/m.test((await test.http.get('/metrics')).text));
    socket.destroy();
    const line = () => test.logs.map((text) => JSON.parse(text)).find(({ reqId, msg }) => reqId === 'traced-4' && msg === 'caller left');
    await eventually('the line is there', async () => line() !== undefined);
    expect(line()).toMatchObject({ trace_id: TRACE });
  });

  it('goes on to receivers of webhooks by a header', () => {
    const [outside, inside] = [traceHeaders(), inSpan({ kind: 'job', name: 'job send-webhook' }, traceHeaders)];
    expect(outside).toEqual({});
    expect(inside.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

/** Spans that no collector has taken so far, as the metric counts them. */
const dropped = async () => Number(/^trace_spans_dropped_total (\d+)$/m.exec((await test.http.get('/metrics')).text)?.[1]);

describe('a collector', () => {
  it('that does not take a batch is not asked again; its spans, and those beyond the ones that may wait, are counted, and the rest goes on', async () => {
    await stopTracing();
    const before = await dropped();
    const other = await startCollector();
    onTestFinished(() => other.close());
    other.answers.push(503);
    const stop = await startTracing({ ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: other.endpoint }, logger);
    for (let n = 0; n < 5_000; n += 1) inSpan({ kind: 'job', name: `of many ${n}` }, () => undefined);
    expect(await dropped()).toBe(before + 5_000 - 4_096);
    await eventually('the first batch is dropped', async () => other.spans.length === 4_096 - 512);
    expect(await dropped()).toBe(before + 5_000 - 4_096 + 512);
    await stop();
  });
});

it('a collector that is away loses spans and holds nothing up; without a collector nothing is traced', async () => {
  const away = await startTracing({ ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, logger);
  inSpan({ kind: 'job', name: 'lost' }, () => undefined);
  await away();
  expect(
    lines
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === 'warn')
      .at(-1),
  ).toMatchObject({ spans: 1 });
  const stop = await startTracing({ ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: undefined }, logger);
  const gateway = { send: () => 1 };
  expect([activeTracer(), traceGateway('any', gateway) === gateway, inSpan({ kind: 'job', name: 'plain' }, () => 2)]).toEqual([
    undefined,
    true,
    2,
  ]);
  await stop();
});
