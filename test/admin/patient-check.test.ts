import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { createOperator } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
const db = () => test.database.prisma;

const Found = z.object({ items: z.array(z.record(z.string(), z.unknown())), next: z.array(z.record(z.string(), z.unknown())) });
const check = (organization: number, ...rest: string[]) => operator.ask(Found, `patients check --practice ${organization}`, ...rest);

describe('patients check', () => {
  it('lists each field of older data that no request could write today, with the rule, and the values only on request', async () => {
    const { id: organizationId } = await createOrganization(db());
    const old = await createPatient(db(), {
      organizationId,
      firstName: ' Ann',
      state: 'New York',
      zip: 'ABCDE',
      city: 'x'.repeat(31),
      email: 'nobody',
      mobilePhone: '+442079460958',
      birthDate: new Date('2150-01-01'),
      guarantorBirthDate: new Date('1700-01-01'),
      guarantorState: 'NC',
      preferredName: 'N\ufffd',
      address1: '1 Be\u0007ll St',
    });
    await createPatient(db(), { organizationId, firstName: 'Mei', state: 'Victoria', zip: '3000', countryCode: 'AUS' });
    await createPatient(db(), { organizationId, lastName: 'Gone ', status: 'deleted' });
    await createPatient(db(), { organizationId: (await createOrganization(db())).id, lastName: 'Elsewhere ' });

    const { items, next } = await check(organizationId);
    expect(next).toEqual([]);
    expect(items.every((item) => item.practice_id === organizationId && item.patient_id === old.id && !('value' in item))).toBe(true);
    expect(items.map(({ field, rule }) => `${field} ${rule}`).toSorted()).toEqual([
      'address1 has superfluous white space, or characters that are not in NFC',
      'birthDate is in the future',
      'city is longer than 30 characters',
      'email must be an email address',
      'firstName has superfluous white space, or characters that are not in NFC',
      'guarantorBirthDate is before 1850',
      'mobilePhone must be a valid North American number',
      'preferredName contains a replacement character, so the text was not valid UTF-8',
      'state must be the two-letter code of a state or territory',
      'zip must be a zip of five digits, or nine with a hyphen',
    ]);
    const shown = await check(organizationId, '--values');
    expect(shown.items.find(({ field }) => field === 'zip')).toMatchObject({ value: 'ABCDE' });
    const audit = await db().auditEntry.findFirstOrThrow({ where: { organizationId }, orderBy: { id: 'desc' } });
    expect(audit).toMatchObject({
      actor: 'operator:tester',
      action: 'search',
      resource: 'patient',
      resourceIds: [old.id],
      operation: 'admin patients check',
    });
  });

  it('lists a part, and says how the next one is asked for', async () => {
    const { id: organizationId } = await createOrganization(db());
    const ids: number[] = [];
    for (const lastName of ['A ', 'B ', 'C ']) ids.push((await createPatient(db(), { organizationId, lastName })).id);
    const first = await check(organizationId, '--limit', '2');
    expect(first.items.map((item) => item.patient_id)).toEqual(ids.slice(0, 2));
    expect(first.next).toEqual([{ practice_id: organizationId, after: ids[1] }]);
    const rest = await check(organizationId, '--limit', '2', '--after', String(ids[1]));
    expect(rest).toMatchObject({ items: [{ patient_id: ids[2], field: 'lastName' }], next: [] });
    const said = await operator.say(`patients check --practice ${organizationId} --limit 1`);
    expect(said.out).toContain(`For more of practice ${organizationId}, add: --practice ${organizationId} --after ${ids[0]}`);
    expect((await operator.say('patients check --after 1')).err).toContain('--after: needs --practice.');
  });

  it('goes through all practices where none is named', async () => {
    const { id: organizationId } = await createOrganization(db());
    const { id } = await createPatient(db(), { organizationId, zip: '1' });
    const { items } = await operator.ask(Found, 'patients check --limit 1000');
    expect(items).toContainEqual({ practice_id: organizationId, patient_id: id, field: 'zip', rule: expect.any(String) });
    const fine = (await createOrganization(db())).id;
    expect((await operator.say(`patients check --practice ${fine}`)).out).toContain('All charts are valid.');
  });
});
