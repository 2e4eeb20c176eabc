import { describe, expect, it } from 'vitest';
import { practiceClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOffice, createOrganization, createPatient } from '../support/factories.ts';
import { admin, createOperator } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
/** A practice, and another that must see nothing of it. */
const practice = (await createOrganization(test.database.prisma, { timeZone: 'America/Denver' })).id;
const other = (await createOrganization(test.database.prisma)).id;

const db = () => test.database.prisma;
const newPatient = async (organizationId = practice) => (await createPatient(db(), { organizationId })).id;
const newGroup = async (organizationId = practice) =>
  (await db().providerGroup.create({ data: { organizationId, name: `Group ${Math.random()}` } })).id;
const newOffice = async (group: number | null = null, organizationId = practice) =>
  (await createOffice(db(), { organizationId, providerGroupId: group })).id;
const listEvents = async (id: number) =>
  (await db().event.findMany({ where: { organizationId: practice, subjectType: 'patient', subjectId: id }, orderBy: { id: 'asc' } })).map(
    ({ name, changed }) => ({ name, changed }),
  );
describe('a command about a patient', () => {
  it.each([
    'patients copy PATIENT --office OFFICE',
    'balances contract PATIENT --group GROUP --class ONEYEAR --max 1',
    'claims add PATIENT --group GROUP --date 2026-01-02 --charge 1',
    'claims list PATIENT',
    'privacy-items set PATIENT --kind notice --verified yes',
    'privacy-items list PATIENT',
  ])('refuses an unknown, a deleted and another practice’s patient alike: %s', async (line) => {
    const [group, office] = [await newGroup(), await newOffice()];
    const deleted = (await createPatient(db(), { organizationId: practice, status: 'deleted' })).id;
    const events = await db().event.count();
    for (const id of [2_147_483_647, deleted, await newPatient(other)]) {
      const words = line.replace('PATIENT', String(id)).replace('GROUP', String(group)).replace('OFFICE', String(office));
      expect(await operator.say(`${words} --practice ${practice}`)).toEqual({ code: 1, out: '', err: 'There is no such patient.\n' });
    }
    expect(await db().event.count()).toBe(events);
  });

  it('refuses what belongs to another practice', async () => {
    const [id, group, office] = [await newPatient(), await newGroup(other), await newOffice(null, other)];
    for (const [line, what] of [
      [`patients copy ${id} --office ${office}`, 'office'],
      [`claims add ${id} --group ${group} --date 2026-01-02 --charge 1`, 'provider group'],
    ] as const) {
      expect(await operator.say(`${line} --practice ${practice}`), line).toEqual({
        code: 1,
        out: '',
        err: `There is no such ${what}.\n`,
      });
    }
    expect(await listEvents(id)).toEqual([]);
  });
});

describe('social security numbers', () => {
  const findBy = (number: string) => admin(operator.env, ['patients', 'find-by-ssn', '--practice', String(practice), '--json'], number);

  it('come by standard input alone, and no command shows them again', async () => {
    const clinic = await practiceClient(test, { organizationId: practice });
    const id = await newPatient();
    await clinic.put(`/patients/${id}`).type('form').send({ ssn: '219-09-8642', guarantorssn: '219098643' }).expect(200);
    const said = [
      await findBy('219098642'),
      await operator.say(`audit list --practice ${practice} --patient ${id} --json`),
      await operator.say(`events list --practice ${practice} --json`),
    ];
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(said[0]?.out).toContain(`"id": ${id}`);
    for (const { out, err } of said) expect(out + err).not.toMatch(/219-?09-?864[23]|"864[23]"/);
  });

  it('are refused where they cannot be issued, without being repeated', async () => {
    for (const input of ['666-12-3456', '12345678', '', '219-09-9999\n219-09-9998']) {
      const said = await findBy(input);
      expect(said).toMatchObject({ code: 2, out: '' });
      expect(said.err).not.toMatch(/\d{4}/);
    }
  });

  it('of another practice are not found', async () => {
    const clinic = await practiceClient(test, { organizationId: other });
    await clinic
      .put(`/patients/${await newPatient(other)}`)
      .type('form')
      .send({ ssn: '219098700' })
      .expect(200);
    expect(await findBy('219098700')).toEqual({ code: 0, out: '[]\n', err: '' });
  });
});
