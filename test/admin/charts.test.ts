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
const newOffice = async (organizationId = practice) => (await createOffice(db(), { organizationId })).id;
const listEvents = async (id: number) =>
  (await db().event.findMany({ where: { organizationId: practice, subjectType: 'patient', subjectId: id }, orderBy: { id: 'asc' } })).map(
    ({ name, changed }) => ({ name, changed }),
  );
describe('a command about a patient', () => {
  it('refuses an unknown, a deleted and another practice’s patient alike', async () => {
    const office = await newOffice();
    const deleted = (await createPatient(db(), { organizationId: practice, status: 'deleted' })).id;
    const events = await db().event.count();
    for (const id of [2_147_483_647, deleted, await newPatient(other)]) {
      const said = await operator.say(`patients copy ${id} --office ${office} --practice ${practice}`);
      expect(said).toEqual({ code: 1, out: '', err: 'There is no such patient.\n' });
    }
    expect(await db().event.count()).toBe(events);
  });

  it('refuses what belongs to another practice', async () => {
    const [id, office] = [await newPatient(), await newOffice(other)];
    const said = await operator.say(`patients copy ${id} --office ${office} --practice ${practice}`);
    expect(said).toEqual({ code: 1, out: '', err: 'There is no such office.\n' });
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
