import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { expectException } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

let number = 0;

/** Each single record: how one is made, read and changed. The type has no read of its own. */
const RECORDS = {
  patient: {
    async make() {
      number += 1;
      const created = await clinic.post('/patients').send({ med_rec_no: `tagged-${number}` });
      return { created, read: `/patients/mrn/tagged-${number}`, put: `/patients/${created.body.data.uuid}`, same: {} };
    },
    field: 'lastname',
    values: ['Lee', 'Park', 'Kim'],
  },
  appointment: {
    async make() {
      const created = await clinic.post('/appointments').send({});
      return { created, read: `/appointments/${created.body.data.uuid}`, put: `/appointments/${created.body.data.uuid}`, same: {} };
    },
    field: 'appointment_date',
    values: ['2026-03-09T09:30:00', '2026-03-10T09:30:00', '2026-03-11T09:30:00'],
  },
  'appointment type': {
    async make() {
      const created = await clinic.post('/appointments/types').send({ name: 'Visit' });
      return { created, read: null, put: '/appointments/types', same: { uuid: created.body.data.uuid } };
    },
    field: 'name',
    values: ['Check-up', 'Vaccination', 'Follow-up'],
  },
};

describe.each(Object.entries(RECORDS))('the tag of an %s', (_, { make, field, values: [first, second, third] }) => {
  it('is the same from every operation that shows the record, and changes when the record does', async () => {
    const { created, read, put, same } = await make();
    const tag = created.headers.etag;
    expect(tag).toMatch(/^"[^"]+"$/);
    if (read !== null) expect((await clinic.get(read)).headers.etag).toBe(tag);
    expect((await clinic.put(put).send(same)).headers.etag).toBe(tag);
    const changed = await clinic.put(put).send({ ...same, [field]: first });
    expect(changed.headers.etag).not.toBe(tag);
    if (read !== null) expect((await clinic.get(read)).headers.etag).toBe(changed.headers.etag);
  });

  it('spares a reader who has the record already', async () => {
    const { created, read, put, same } = await make();
    if (read === null) return;
    const tag = String(created.headers.etag);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await clinic.get(read).set('if-none-match', known);
      expect({ status: answer.status, text: answer.text, etag: answer.headers.etag }).toEqual({ status: 304, text: '', etag: tag });
    }
    expect((await clinic.get(read).set('if-none-match', '"other"')).status).toBe(200);
    await clinic.put(put).send({ ...same, [field]: first });
    expect((await clinic.get(read).set('if-none-match', tag)).status).toBe(200);
  });

  it('lets a change through while it holds, and refuses it once the record has changed', async () => {
    const { created, put, same } = await make();
    const stale = String(created.headers.etag);
    const fresh = await clinic
      .put(put)
      .set('if-match', stale)
      .send({ ...same, [field]: first });
    expect(fresh.status, fresh.text).toBe(200);
    expectException(
      await clinic
        .put(put)
        .set('if-match', stale)
        .send({ ...same, [field]: second }),
      412,
      null,
    );
    expectException(
      await clinic
        .put(put)
        .set('if-match', '"nonsense"')
        .send({ ...same, [field]: second }),
      412,
      null,
    );
    expect((await clinic.put(put).send(same)).body).toEqual(fresh.body);
    expect(
      (
        await clinic
          .put(put)
          .set('if-match', `"other", ${fresh.headers.etag}`)
          .send({ ...same, [field]: second })
      ).status,
    ).toBe(200);
    expect(
      (
        await clinic
          .put(put)
          .set('if-match', '*')
          .send({ ...same, [field]: third })
      ).status,
    ).toBe(200);
  });

  it('is good for exactly one of two who change the record at once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { created, put, same } = await make();
      const tag = String(created.headers.etag);
      const answers = await Promise.all(
        [first, second].map((value) =>
          clinic
            .put(put)
            .set('if-match', tag)
            .send({ ...same, [field]: value }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const winner = answers.find(({ status }) => status === 200);
      expect((await clinic.put(put).send(same)).body).toEqual(winner?.body);
    }
  });

  it('is of no use for a record that does not exist', async () => {
    const { put } = await make();
    const nowhere = put.replace(/\d+$/, '2147483647');
    const answer = await clinic
      .put(nowhere)
      .set('if-match', '*')
      .send({ uuid: 2_147_483_647, [field]: first });
    expectException(answer, 404, nowhere === put ? 'uuid' : null);
  });
});
