import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../support/actors.ts';
import { createOffice, createPatient } from '../../support/factories.ts';
import { atLeisure } from '../../support/many-patients.ts';
import { createAppointment } from '../../support/schedule.ts';
import { eventually } from '../../support/server-process.ts';
import { type Clinic, clinicWith, EXPORTS, exported, open, parseRecords, rows, test } from './export-clinic.ts';

describe('an export', () => {
  it('leaves out deleted charts, and of restricted ones all that says who they are, unless the caller may see them; audited like a list', async () => {
    const { organizationId, ...clinic } = await clinicWith();
    const trusted = await clinicWith(['exports.read', 'restricted.read'], organizationId);
    const hidden = await createPatient(rows, { organizationId, lastName: 'Zqhidden', mobilePhone: '+19195550177', ssnLastFour: '4321' });
    const gone = await createPatient(rows, { organizationId, status: 'deleted' });
    const open1 = await createPatient(rows, { organizationId, lastName: 'Open' });
    await rows.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    const item = await rows.item.create({ data: { organizationId, name: 'Pulse' } });
    const mine: number[] = [];
    for (const { id: patientId } of [hidden, gone, open1]) {
      mine.push((await createAppointment(rows, { organizationId, patientId, startsAt: '2033-05-03T15:00:00Z' })).id);
      await rows.insurance.create({ data: { organizationId, patientId, sequenceNumber: 1, idNumber: `Zq${patientId}` } });
      const at = new Date();
      await rows.reading.create({
        data: { organizationId, patientId, itemId: item.id, value: 71.5, measuredAt: at, measuredOn: at, errorAt: at },
      });
      await rows.smsMessage.create({
        data: { organizationId, patientId, direction: 'outbound', toNumber: '+19195550177', body: 'Zqsecret', state: 'sent' },
      });
    }
    // A number that is a restricted patient's relates a text to them that came before.
    await rows.smsMessage.create({
      data: {
        organizationId,
        direction: 'inbound',
        fromNumber: '+19195550177',
        toNumber: '+19105550123',
        body: 'Zqmine',
        state: 'received',
      },
    });
    const listIds = async (who: Clinic, kind: string, field = 'patient_id') =>
      (await exported(who, `kind=${kind}`)).map((one) => one[field]);
    expect(await listIds(clinic, 'patients', 'id')).toEqual([open1.id]);
    expect(await listIds(trusted, 'patients', 'id')).toEqual([hidden.id, open1.id]);
    expect(await exported(clinic, 'kind=readings')).toMatchObject([{ implausible: false, error_at: expect.stringMatching(/^\d{4}-.*Z$/) }]);
    for (const kind of ['readings', 'insurances']) {
      expect(await listIds(clinic, kind)).toEqual([open1.id]);
      expect(await listIds(trusted, kind)).toEqual([hidden.id, open1.id]);
    }
    expect(await listIds(clinic, 'appointments')).toEqual([null, gone.id, open1.id]);
    const texts = await exported(clinic, 'kind=texts');
    expect(texts.map(({ patient_restricted: is, body, to_number: to, from_number: from }) => [is, body, to, from])).toEqual([
      [true, null, null, null],
      [false, 'Zqsecret', '+19195550177', null],
      [false, 'Zqsecret', '+19195550177', null],
      [true, null, '+19105550123', null],
    ]);
    expect((await exported(trusted, 'kind=texts')).map(({ body }) => body)).toEqual(['Zqsecret', 'Zqsecret', 'Zqsecret', 'Zqmine']);
    expect(await exported(clinic, `kind=appointments&patient=${hidden.id}`)).toEqual([]);
    expect(JSON.stringify(await exported(trusted, 'kind=patients'))).not.toMatch(/encrypted|hash|folded/);

    const audits = await rows.auditEntry.findMany({ where: { organizationId, operation: 'GET /platform/v1/exports' } });
    const seen = audits.map(({ action, resource, resourceIds, patientIds }) =>
      JSON.stringify([action, resource, resourceIds.map(Number), patientIds]),
    );
    expect(seen).toContain(JSON.stringify(['search', 'patient', [open1.id], []]));
    expect(seen.some((one) => one.includes(`"appointment",[${mine.join()}],[${gone.id},${open1.id}]`))).toBe(true);
  });

  it('is a table where CSV is asked for, compressed where gzip is, and filters by what its kind has', async () => {
    const clinic = await clinicWith();
    const { organizationId } = clinic;
    const { id: office } = await createOffice(rows, { organizationId });
    const danger = await createPatient(rows, {
      organizationId,
      lastName: '=1+1',
      flags: ['a,b'],
      mobilePhone: '+19105550123',
      primaryOfficeId: office,
    });
    await createPatient(rows, { organizationId, status: 'inactive' });
    await createAppointment(rows, { organizationId, patientId: danger.id, startsAt: '2033-05-03T15:00:00Z' });
    const answer = await open(clinic, `kind=patients&office=${office}`, { accept: 'text/csv' });
    const [names = '', row = '', last, end] = (await answer.text()).split('\r\n');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-encoding': 'gzip',
      'content-disposition': 'attachment; filename="patients.csv"',
    });
    expect(names).toMatch(/^id,status,.*,updated_at$/);
    expect(row).toContain(`${danger.id},active,`);
    expect(row).toContain(`,'=1+1,`);
    expect(row).toContain(`,+19105550123,`);
    expect(row).toContain(`,"[""a,b""]",`);
    expect([last?.replace(/,+$/, ''), last?.split(',').length, end]).toEqual([
      `# Feed-Cursor: ${answer.headers.get('feed-cursor')}`,
      names.split(',').length,
      '',
    ]);
    const plain = await open(clinic, 'kind=patients&status=inactive', { 'accept-encoding': 'gzip;q=0' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(parseRecords(await plain.text(), plain)).toHaveLength(1);
    for (const [query, found] of [
      ['min_date=2033-05-03&max_date=2033-05-03', 1],
      ['min_date=2033-05-04', 0],
      [`patient_id=${danger.id}&status=scheduled`, 1],
      [`provider=1`, 0],
    ] as const)
      expect([query, (await exported(clinic, `kind=appointments&${query}`)).length]).toEqual([query, found]);
    const refused = await Promise.all(
      [
        '',
        'kind=users',
        'kind=patients&patient=1',
        'kind=insurances&min_date=2033-05-03',
        'kind=patients&status=deleted',
        'kind=texts&status=active',
      ].map(async (query) => (await open(clinic, query)).status),
    );
    expect(refused).toEqual([400, 400, 400, 400, 400, 400]);
    const head = await fetch(`${test.address}${EXPORTS}?kind=patients`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${clinic.token}` },
    });
    expect([head.status, head.headers.get('feed-cursor')]).toEqual([200, expect.any(String)]);
  });

  it('runs twice at a time for a practice, and ends where its reader leaves', async () => {
    const clinic = await clinicWith();
    await atLeisure(test.databaseUrl, (client) =>
      client.query(
        `INSERT INTO patient (organization_id, last_name, address1, updated_at) SELECT $1, 'Ann', repeat('x', 4000), now() FROM generate_series(1, 6000)`,
        [clinic.organizationId],
      ),
    );
    const leaving = [new AbortController(), new AbortController()];
    const slow = leaving.map(({ signal }) =>
      fetch(`${test.address}${EXPORTS}?kind=patients`, {
        headers: { authorization: `Bearer ${clinic.token}`, 'accept-encoding': 'identity' },
        signal,
      }),
    );
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200]);
    const third = await open(clinic, 'kind=patients');
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '30']);
    for (const reader of leaving) reader.abort();
    await eventually('the exports have ended', async () => (await open(clinic, 'kind=texts')).status === 200);
  });

  it('is for administrators and for clients with the scope', async () => {
    const { organizationId } = await clinicWith();
    expect((await open(await clinicWith(['events.read'], organizationId), 'kind=patients')).status).toBe(403);
    expect((await open(await signedInUser(test, { organizationId, type: 'staff' }), 'kind=patients')).status).toBe(403);
    expect((await open(await signedInUser(test, { organizationId, type: 'admin' }), 'kind=patients')).status).toBe(200);
  });
});
