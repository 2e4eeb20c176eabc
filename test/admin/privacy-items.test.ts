import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { createOperator } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());
const Rows = z.array(Row);

const test = await sharedTestApp();
const operator = createOperator(test);
const practice = (await createOrganization(test.database.prisma)).id;

const db = () => test.database.prisma;
const newPatient = async () => (await createPatient(db(), { organizationId: practice })).id;

describe('privacy items', () => {
  it('are set anew, and a form that is not verified has no day', async () => {
    const id = await newPatient();
    const set = `privacy-items set ${id} --practice ${practice} --kind`;
    await operator.ask(Row, `${set} notice --verified yes --on 2026-01-02 --expires 2027-01-02`);
    await operator.ask(Row, `${set} release --verified no`);
    expect(await operator.ask(Row, `${set} assignment --verified yes`)).toMatchObject({
      verified_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    await operator.ask(Row, `${set} notice --verified yes --on 2026-02-02`);
    expect(await operator.ask(Rows, `privacy-items list ${id} --practice ${practice}`)).toMatchObject([
      { kind: 'assignment', verified: true },
      { kind: 'notice', verified: true, verified_on: '2026-02-02', expires_on: null },
      { kind: 'release', verified: false, verified_on: null },
    ]);
    const events = await db().event.findMany({ where: { organizationId: practice, subjectId: id }, orderBy: { id: 'asc' } });
    expect(events.map(({ changed }) => changed)).toEqual(Array.from({ length: 4 }, () => ['privacyItems']));
    expect((await operator.say(`${set} notice --verified maybe`)).code).toBe(2);
    expect((await operator.say(`${set} letter --verified yes`)).code).toBe(2);
  });
});
