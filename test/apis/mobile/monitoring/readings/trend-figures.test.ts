import { describe, expect, it } from 'vitest';
import { drawTrendFigure } from '../../../../../src/http/trend-figures/draw-trend-figure.ts';
import { writeTarget } from '../../../../../src/http/trend-figures/words.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { openConditionTracking } from './tracked-conditions.ts';

const test = await sharedTestApp();
const { own, organizationId, pressure, newPatient, track } = await openConditionTracking(test);
const prisma = test.database.prisma;
await prisma.organization.update({ where: { id: organizationId }, data: { timeZone: 'America/New_York' } });

type Measured = [at: string, value: number, source?: 'device' | 'self' | 'staff'];

async function measure(patientId: number, readings: readonly Measured[]) {
  const device = await prisma.monitoringDevice.create({ data: { organizationId, identifier: `cuff ${patientId}` } });
  await prisma.reading.createMany({
    data: readings.map(([at, value, source = 'device']) => ({
      organizationId,
      patientId,
      itemId: pressure,
      value,
      source,
      measuredAt: new Date(at),
      measuredOn: new Date(at),
      deviceId: source === 'device' ? device.id : null,
    })),
  });
}

const NOVEMBER = 'start_date=2026-10-30&end_date=2026-11-08';

async function readChart(patient: number, query = NOVEMBER) {
  const { status, headers, body } = await own
    .get(`/remote-patient-monitoring/patients/${patient}/charts/${pressure}?${query}`)
    .responseType('blob');
  return { status, headers, svg: String(body) };
}

const findDesc = (svg: string) => /<desc[^>]*>([^<]*)<\/desc>/.exec(svg)?.[1];

describe('the trend chart of an item', () => {
  it('is a picture with words for who does not see it, the targets of their time, and marks that need no colour', async () => {
    const patient = await newPatient();
    const items = [{ item_uuid: pressure, min_target: 95, max_target: 140, danger_max: 180 }];
    const { uuid } = await track(patient, { items });
    await prisma.trackedCondition.updateMany({
      where: { organizationId, id: uuid },
      data: { createdAt: new Date('2026-11-04T12:00:00Z') },
    });
    await measure(patient, [
      ['2026-10-31T12:00:00Z', 85],
      ['2026-11-01T12:00:00Z', 138, 'self'],
      ['2026-11-05T13:00:00Z', 150, 'staff'],
      ['2026-11-06T13:00:00Z', 180],
      ['2026-11-09T04:59:59Z', 120],
      ['2026-11-09T05:00:00Z', 222],
    ]);
    const { svg, headers, status } = await readChart(patient);
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="chart-title chart-desc"/);
    expect(findDesc(svg)).toBe(
      '5 readings, Oct 30 – Nov 8, 2026 (ET). Lowest 85 mmHg, highest 180 mmHg, newest Nov 8, 2026, 11:59 PM. Out of target: 3; in danger: 1. The target changed during this time. Newest target: 95 to 140 mmHg. Danger: 180 mmHg or more.',
    );
    for (const words of ['below target', 'above target', 'danger value', 'filled: device', 'hollow: patient', 'dot: staff', 'danger ≥ 180'])
      expect(svg).toContain(`>${words}</text>`);
    // The target of the item until the condition was tracked, the condition's from then on.
    expect(svg.match(/fill="url\(#chart-hatch\)"/g)).toHaveLength(2);
    // 36 hours and more without a reading are a gap, and the day on which the clocks are put back is no longer than it is.
    expect(
      svg
        .match(/<path d="M[\d. ]+(?:[ML][\d. ]+){4}"/)?.[0]
        .match(/[ML]/g)
        ?.join(''),
    ).toBe('MLMLM');
    const shown = await prisma.auditEntry.findFirst({
      where: { organizationId, resource: 'reading', patientIds: { has: patient }, action: 'read' },
    });
    expect(shown?.resourceIds).toHaveLength(5);
  });

  it('shows hundreds of readings by steps, each with its lowest, its highest and its average, and loses none of them', async () => {
    const patient = await newPatient();
    const start = Date.parse('2026-10-30T04:00:00Z');
    const readings = Array.from({ length: 900 }, (_, index): Measured => {
      return [new Date(start + index * 15 * 60_000).toISOString(), index === 500 ? 201 : 100 + (index % 30)];
    });
    await measure(patient, readings);
    const { svg } = await readChart(patient);
    expect(findDesc(svg)).toContain(
      '900 readings, Oct 30 – Nov 8, 2026 (ET). Lowest 100 mmHg, highest 201 mmHg, newest Nov 8, 2026. Out of target: 1;',
    );
    expect(svg).toMatch(/>lowest to highest of a day<.*>average</s);
    expect(svg.match(/V[\d.]+M/g)).toHaveLength(10);
    expect(svg.length).toBeLessThan(20_000);
  });

  it('is empty without readings, drawn for the asked width, and refuses a range and a width that cannot be', async () => {
    const patient = await newPatient();
    const { svg } = await readChart(patient, 'width=390');
    expect(svg).toContain('>No readings</text>');
    expect(svg).toContain('viewBox="0 0 390 ');
    for (const width of ['5000', '99999', '390.5'])
      expect(await readChart(patient, `width=${width}`), width).toMatchObject({
        status: 400,
        svg: expect.stringContaining('an integer from 280 to 1600'),
      });
    expect((await readChart(patient, 'start_date=2026-11-08&end_date=2026-11-01')).status).toBe(400);
    expect((await readChart(patient, 'start_date=2199-01-01')).status).toBe(400);
  });

  it('is not there without an item', async () => {
    await own.get(`/remote-patient-monitoring/patients/${await newPatient()}/charts/999999`).expect(404);
  });
});

describe('a drawing', () => {
  const range = { from: new Date('2026-03-01T05:00:00Z'), before: new Date('2026-03-15T04:00:00Z') };
  const item = { id: 1, name: 'Tension <systolic> & "more"', unit: 'mmHg' };

  it('escapes the words of the practice, and has its days where the clocks of the zone have them', () => {
    const svg = drawTrendFigure(
      { item, timeZone: 'America/New_York', ...range, step: null, points: [], spans: [] },
      { width: 720, id: 'a' },
    );
    expect(svg).toContain('Tension &#60;systolic&#62; &#38; &#34;more&#34;, mmHg');
    const days = [...svg.matchAll(/<path d="M([\d.]+) [\d.]+v5"/g)].map(([, x]) => Number(x));
    const widths = days.slice(1).map((x, index) => x - (days[index] ?? 0));
    // Two days each; the clocks are put forward on 8 March, so that its two days have 47 hours.
    const [usual = 0] = widths;
    expect(widths.map((width) => Math.round((width / usual) * 48))).toEqual([48, 48, 48, 47, 48, 48].slice(0, widths.length));
  });

  it('says targets as people do', () => {
    expect(writeTarget({ min: 90, max: 140 }, 'mmHg')).toBe('90 to 140 mmHg');
    expect(writeTarget({ min: null, max: 140 }, '%')).toBe('140% or less');
    expect(writeTarget({ min: 4000, max: null }, null)).toBe('4,000 or more');
    expect(writeTarget({ min: null, max: null }, null)).toBeNull();
    expect(writeTarget({ min: 150, max: 130 }, 'mmHg')).toContain('which contains no value');
  });
});
