import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { createOffice, createPatient } from '../../support/factories.ts';
import { atLeisure } from '../../support/many-patients.ts';
import { eventually } from '../../support/server-process.ts';
import { isUpkeep } from '../../support/upkeep.ts';
import { clinicWith, exported, open, parseRecords, rows, test } from './export-clinic.ts';

/** Several pages. */
const CHARTS = isUpkeep ? 100_000 : 2_500;

/** A chart that changes in a transaction with its event, as any API does it, committed when the caller says so. */
const changing = (organizationId: number, patientId: number, change: string, during: () => Promise<void>) =>
  atLeisure(test.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(`UPDATE patient SET ${change}, updated_at = now() WHERE organization_id = $1 AND id = $2`, [
      organizationId,
      patientId,
    ]);
    await client.query(
      `INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor) VALUES ($1, $3, 'patient', $2, '{}', 'job:test')`,
      // Of a chart that is gone, readers get this event alone.
      [organizationId, patientId, change.includes('deleted') ? 'patient.withdrawn' : 'patient.updated'],
    );
    await during();
    await client.query('COMMIT');
  });

const atOnce = async () => {};

describe('an export', () => {
  it('takes a sync client from nothing to all charts, and the log of events on from there, without a gap while others write', async () => {
    const clinic = await clinicWith();
    const { organizationId } = clinic;
    const system = await practiceClient(test, { organizationId });
    const { id: office } = await createOffice(rows, { organizationId });
    await atLeisure(test.databaseUrl, (client) =>
      client.query(
        `INSERT INTO patient (organization_id, first_name, last_name, address1, primary_office_id, updated_at)
         SELECT $1, 'Ann', 'Before' || n, repeat('Long Street ', 15), $3, now() FROM generate_series(1, $2::int) AS n`,
        [organizationId, CHARTS, office],
      ),
    );
    const ids = (await rows.patient.findMany({ where: { organizationId }, select: { id: true }, orderBy: { id: 'asc' } })).map(
      (one) => one.id,
    );
    const at = (part: number) => ids[Math.floor(part * (ids.length - 1))] ?? 0;
    const copy = new Map<unknown, unknown>();
    let cursor = '';
    await changing(organizationId, at(0.5), `last_name = 'Late'`, async () => {
      const answer = await open(clinic, 'kind=patients', { 'accept-encoding': 'identity' });
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = (await reader?.read())?.value ?? '';
      // While the reader pauses, charts of all pages change, come and go.
      for (const part of [0, 0.3, 0.9, 1])
        await system
          .put(`/patients/${at(part)}`)
          .type('form')
          .send({ lastname: 'After' })
          .expect(200);
      await changing(organizationId, at(0.99), `status = 'deleted'`, atOnce);
      await system
        .post('/patients')
        .type('form')
        .send({ firstname: 'New', lastname: 'Comer', dob: '01/02/1990', departmentid: office, zip: '27601' })
        .expect(200);
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
      for (const one of parseRecords(text, answer)) copy.set(one.id, one.last_name);
      cursor = answer.headers.get('feed-cursor') ?? '';
    });
    expect([...copy.keys()]).toEqual(ids);
    expect([...copy.values()].every((name) => String(name).startsWith('Before'))).toBe(true);

    const truth = async () => {
      const charts = await rows.patient.findMany({
        where: { organizationId, status: { not: 'deleted' } },
        select: { id: true, lastName: true },
      });
      return new Map(charts.map((chart) => [chart.id, chart.lastName]));
    };
    await eventually('the copy is as the practice is', async () => {
      const { body } = await clinic.get(`/platform/v1/events?after=${cursor}&types=patient.*`).expect(200);
      for (const { subject } of body.data) {
        const { status, body: chart } = await system.get(`/patients/${subject.id}`);
        if (status === 404) copy.delete(subject.id);
        else copy.set(subject.id, [chart].flat()[0].lastname);
      }
      cursor = body.next;
      const now = await truth();
      return now.size === copy.size && [...now].every(([id, name]) => copy.get(id) === name);
    });
    expect([copy.get(at(0.5)), copy.get(at(1)), copy.has(at(0.99)), copy.size]).toEqual(['Late', 'After', false, CHARTS]);
  });

  it('with a cursor has what changed since alone, and names what is gone; a cursor of nobody is refused', async () => {
    const clinic = await clinicWith();
    const { organizationId } = clinic;
    const [changed, deleted] = [
      await createPatient(rows, { organizationId, lastName: 'Kim' }),
      await createPatient(rows, { organizationId }),
    ];
    await createPatient(rows, { organizationId, lastName: 'Quiet' });
    const since = (await open(clinic, 'kind=patients')).headers.get('feed-cursor');
    await changing(organizationId, changed.id, `last_name = 'Lee'`, atOnce);
    await changing(organizationId, deleted.id, `status = 'deleted'`, atOnce);
    const query = `kind=patients&since=${since}`;
    expect((await exported(clinic, query)).map(({ id, last_name: name, gone }) => [id, name, gone])).toEqual([
      [changed.id, 'Lee', undefined],
      [deleted.id, undefined, true],
    ]);
    const table = await (await open(clinic, `${query}&format=csv`)).text();
    expect(table).toMatch(new RegExp(`\r\n${deleted.id},+true\r\n# Feed-Cursor`));
    for (const wrong of ['nonsense', 'latest']) expect((await open(clinic, `kind=patients&since=${wrong}`)).status).toBe(400);
    await rows.eventLogStart.create({ data: { organizationId, transactionId: 10n ** 15n, eventId: 1n } });
    const expired = await open(clinic, query);
    expect([expired.status, await expired.json()]).toMatchObject([410, { code: 'cursor_expired' }]);
  });
});
