import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { createOperator, Made } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());
const Slice = z.object({ items: z.array(z.object({ id: z.int() })), next: z.int().nullable() });

const test = await sharedTestApp();
const operator = createOperator(test);
const practice = (await createOrganization(test.database.prisma, { timeZone: 'America/Denver' })).id;

const db = () => test.database.prisma;
const newPatient = async () => (await createPatient(db(), { organizationId: practice })).id;
const newGroup = async () => (await db().providerGroup.create({ data: { organizationId: practice, name: 'Group' } })).id;
const listEvents = async (id: number) =>
  (await db().event.findMany({ where: { organizationId: practice, subjectType: 'patient', subjectId: id }, orderBy: { id: 'asc' } })).map(
    ({ name, changed }) => ({ name, changed }),
  );

describe('balances and claims', () => {
  it('contracts are set for a balance, one of each class', async () => {
    const [id, group] = [await newPatient(), await newGroup()];
    const about = `${id} --practice ${practice} --group ${group}`;
    expect(await operator.say(`balances contract ${about} --class ONEYEAR --max 100`)).toEqual({
      code: 1,
      out: '',
      err: 'There is no such balance.\n',
    });
    await db().balance.create({ data: { organizationId: practice, patientId: id, providerGroupId: group, amount: '-25.15' } });
    await operator.ask(Row, `balances contract ${about} --class ONEYEAR --max 2500`);
    expect(await operator.ask(Row, `balances contract ${about} --class ONEYEAR --max 2500 --available 1800.5`)).toEqual({
      patient_id: id,
      provider_group_id: group,
      amount: '-25.15',
      collections: '0.00',
      payment_plan: '0.00',
      contracts: ['ONEYEAR 1800.50 of 2500.00'],
    });
    expect((await listEvents(id)).map(({ changed }) => changed)).toEqual([['balances'], ['balances']]);
  });

  it('claims are added and listed in parts', async () => {
    const [id, group] = [await newPatient(), await newGroup()];
    const add = `claims add ${id} --practice ${practice} --group ${group} --date 2026-11-02 --charge 180`;
    const made = [await operator.ask(Made, add), await operator.ask(Made, `${add} --outstanding 20.5`), await operator.ask(Made, add)];
    const list = `claims list ${id} --practice ${practice}`;
    const first = await operator.ask(Slice, `${list} --limit 2`);
    expect(first).toMatchObject({ items: [{ id: made[0]?.id }, { id: made[1]?.id }], next: made[1]?.id });
    expect(await operator.ask(Slice, `${list} --limit 2 --after ${first.next}`)).toMatchObject({
      items: [{ id: made[2]?.id }],
      next: null,
    });
    expect((await operator.say(list)).out).toContain('20.50');
  });

  it.each([
    ['an amount with three places', 'balances contract 1 --group 1 --class ONEYEAR --max 1.234'],
    ['an amount that is no number', 'balances contract 1 --group 1 --class ONEYEAR --max much'],
    ['a negative charge', 'claims add 1 --group 1 --date 2026-01-01 --charge -5'],
    ['a contract of another class', 'balances contract 1 --group 1 --class FOREVER --max 5'],
  ])('refuse %s', async (_, line) => {
    expect(await operator.say(`${line} --practice ${practice}`)).toMatchObject({ code: 2, out: '' });
  });
});
