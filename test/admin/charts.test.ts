import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { revealGuarantorSsn, revealSsn } from '../../src/domain/patients/record/ssn.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOffice, createOrganization, createPatient, createProvider } from '../support/factories.ts';
import { admin, operatorOf } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());

const test = await sharedTestApp();
const operator = operatorOf(test);
/** A practice, and another that must see nothing of it. */
const practice = (await createOrganization(test.database.prisma, { timeZone: 'America/Denver' })).id;
const other = (await createOrganization(test.database.prisma)).id;

const db = () => test.database.prisma;
const newPatient = async (organizationId = practice) => (await createPatient(db(), { organizationId })).id;
const newGroup = async (organizationId = practice) =>
  (await db().providerGroup.create({ data: { organizationId, name: `Group ${Math.random()}` } })).id;
const newOffice = async (group: number | null = null, organizationId = practice) =>
  (await createOffice(db(), { organizationId, providerGroupId: group })).id;
const chart = (id: number) => db().patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId: practice, id } } });
const eventsOf = async (id: number) =>
  (await db().event.findMany({ where: { organizationId: practice, subjectType: 'patient', subjectId: id }, orderBy: { id: 'asc' } })).map(
    ({ name, changed }) => ({ name, changed }),
  );
const auditsOf = async (id: number) =>
  (
    await db().auditEntry.findMany({
      where: { organizationId: practice, resource: 'patient', resourceIds: { has: id } },
      orderBy: { id: 'asc' },
    })
  ).map(({ action, actor, operation }) => ({ action, actor, operation }));

describe('a command about a patient', () => {
  it.each([
    'patients set PATIENT --suffix Jr.',
    'patients register PATIENT --office OFFICE',
    'patients copy PATIENT --office OFFICE',
    'patients set-ssn PATIENT --clear',
    'insurances add PATIENT --plan Evergreen',
    'insurances list PATIENT',
    'insurances remove 1 PATIENT',
    'balances set PATIENT --group GROUP --amount 1',
    'balances contract PATIENT --group GROUP --class ONEYEAR --max 1',
    'balances list PATIENT',
    'claims add PATIENT --group GROUP --date 2026-01-02 --charge 1',
    'claims list PATIENT',
    'custom-fields set 1 PATIENT --value x',
    'portal-accounts give PATIENT',
    'portal-accounts register PATIENT',
    'portal-accounts list PATIENT',
    'privacy-items set PATIENT --kind notice --verified yes',
    'privacy-items list PATIENT',
  ])('refuses an unknown, a deleted and another practice’s patient alike: %s', async (line) => {
    const [group, office] = [await newGroup(), await newOffice()];
    const deleted = (await createPatient(db(), { organizationId: practice, status: 'deleted' })).id;
    const events = await db().event.count();
    for (const id of [2_147_483_647, deleted, await newPatient(other)]) {
      const words = line.replace('PATIENT', String(id)).replace('GROUP', String(group)).replace('OFFICE', String(office));
      expect(await operator.say(`${words} --organization ${practice}`)).toEqual({ code: 1, out: '', err: 'There is no such patient.\n' });
    }
    expect(await db().event.count()).toBe(events);
  });

  it('refuses what belongs to another practice', async () => {
    const [id, group, office] = [await newPatient(), await newGroup(other), await newOffice(null, other)];
    const provider = (await createProvider(db(), { organizationId: other })).id;
    const employer = (await db().employer.create({ data: { organizationId: other, name: 'Elsewhere' } })).id;
    const field = (await db().customField.create({ data: { organizationId: other, name: `Theirs${group}` } })).id;
    for (const [line, what] of [
      [`patients set ${id} --office ${office}`, 'office'],
      [`patients set ${id} --provider ${provider}`, 'provider'],
      [`patients set ${id} --employer ${employer}`, 'employer'],
      [`patients set ${id} --guarantor-employer ${employer}`, 'employer'],
      [`patients register ${id} --office ${office}`, 'office'],
      [`patients register ${id} --office ${await newOffice()} --provider ${provider}`, 'provider'],
      [`patients copy ${id} --office ${office}`, 'office'],
      [`balances set ${id} --group ${group} --amount 1`, 'provider group'],
      [`claims add ${id} --group ${group} --date 2026-01-02 --charge 1`, 'provider group'],
      [`custom-fields set ${field} ${id} --value x`, 'custom field'],
    ] as const) {
      expect(await operator.say(`${line} --organization ${practice}`), line).toEqual({
        code: 1,
        out: '',
        err: `There is no such ${what}.\n`,
      });
    }
    expect(await eventsOf(id)).toEqual([]);
  });
});

describe('patients set', () => {
  it('refuses what is not UTF-8, as every command does, and takes control characters away', async () => {
    const id = await newPatient();
    const line = `patients set ${id} --organization ${practice}`;
    const refused = { code: 2, out: '', err: '--preferred-name: is not written in UTF-8.\n' };
    expect(await operator.say(line, '--preferred-name', 'N\ufffd')).toEqual(refused);
    expect(await operator.say(line, '--race', '\ufffd')).toEqual({ ...refused, err: '--race: is not written in UTF-8.\n' });
    await operator.ask(Row, line, '--preferred-name', 'Be\u0007ll');
    expect(await chart(id)).toMatchObject({ preferredName: 'Bell' });
  });

  it('changes what is given, clears with an empty text, and names the fields in one event', async () => {
    const id = await newPatient();
    const employer = await db().employer.create({ data: { organizationId: practice, name: 'Bakery', phone: '+13035550144' } });
    const line = `patients set ${id} --organization ${practice}`;
    await operator.ask(
      Row,
      `${line} --suffix Jr. --employer ${employer.id} --race 2106-3,2054-5 --country us --language-code ger --deceased-date 2026-01-02 --home-phone 3035550101 --do-not-call yes --next-of-kin-relationship SPOUSE`,
      '--gender-identity',
      'identifies as female',
    );
    expect(await chart(id)).toMatchObject({
      suffix: 'Jr.',
      employerId: employer.id,
      races: ['2106-3', '2054-5'],
      countryCode: 'USA',
      countryCode3166: 'US',
      languageCode: 'deu',
      homePhone: '+13035550101',
      doNotCall: true,
      nextOfKinRelationship: 'SPOUSE',
      genderIdentity: 'Identifies as Female',
    });
    await operator.ask(Row, `${line} --race`, '', '--country', '', '--suffix', '', '--employer', '');
    expect(await chart(id)).toMatchObject({ suffix: null, employerId: null, races: [], countryCode: null, countryCode3166: null });
    await operator.ask(Row, `${line} --do-not-call yes`);
    const events = await eventsOf(id);
    expect(events).toHaveLength(2);
    expect(events[1]?.changed.toSorted()).toEqual(['countryCode', 'countryCode3166', 'employerId', 'races', 'suffix']);
    expect(await auditsOf(id)).toEqual([
      { action: 'update', actor: 'operator:tester', operation: 'admin patients set' },
      { action: 'update', actor: 'operator:tester', operation: 'admin patients set' },
      { action: 'read', actor: 'operator:tester', operation: 'admin patients set' },
    ]);
  });

  it.each([
    ['an unknown race', ['--race', '9999-9']],
    ['an unknown country', ['--country', 'ZZ']],
    ['an unknown language', ['--language-code', 'zzzz']],
    ['an unknown ethnicity', ['--ethnicity-code', '1']],
    ['an unknown gender identity', ['--gender-identity', 'unheard of']],
    ['a day that does not exist', ['--deceased-date', '2026-02-30']],
    ['a death that is yet to come', ['--deceased-date', '2999-01-01']],
    ['a telephone number that is none', ['--home-phone', '12']],
    ['another relationship', ['--contact-relationship', 'BOSS']],
    ['an occupation of three digits', ['--occupation-code', '123']],
    ['a status that only deleting gives', ['--status', 'deleted']],
    ['a social security number as an argument', ['--ssn', '219099999']],
    ['nothing to change', []],
  ])('refuses %s with exit code 2', async (_, words) => {
    const said = await admin(operator.env, ['patients', 'set', '1', '--organization', String(practice), ...words]);
    expect(said).toMatchObject({ code: 2, out: '' });
  });
});

describe('social security numbers', () => {
  it('come by standard input alone, and no command shows them again', async () => {
    const id = await newPatient();
    const line = ['patients', 'set-ssn', String(id), '--organization', String(practice)];
    const said = [
      await admin(operator.env, line, '219-09-8642\n'),
      await admin(operator.env, [...line, '--guarantor'], '219098643'),
      await admin(operator.env, ['patients', 'find-by-ssn', '--organization', String(practice), '--json'], '219098642'),
      await operator.say(`audit list --organization ${practice} --patient ${id} --json`),
      await operator.say(`events list --organization ${practice} --json`),
    ];
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(said[2]?.out).toContain(`"id": ${id}`);
    for (const { out, err } of said) expect(out + err).not.toMatch(/219-?09-?864[23]|"864[23]"/);
    const stored = await chart(id);
    const of = { organizationId: practice, row: id };
    expect(revealSsn(test.keyring, of, stored.ssnEncrypted ?? '')).toBe('219098642');
    expect(revealGuarantorSsn(test.keyring, of, stored.guarantorSsnEncrypted ?? '')).toBe('219098643');
    await operator.ask(Row, `patients set-ssn ${id} --organization ${practice} --clear`);
    expect(await chart(id)).toMatchObject({ ssnEncrypted: null, guarantorSsnLastFour: '8643' });
    expect((await eventsOf(id)).map(({ changed }) => changed)).toEqual([['ssn'], ['guarantorSsn'], ['ssn']]);
  });

  it('are refused where they cannot be issued, without being repeated', async () => {
    const id = await newPatient();
    for (const input of ['666-12-3456', '12345678', '', '219-09-9999\n219-09-9998']) {
      const said = await admin(operator.env, ['patients', 'set-ssn', String(id), '--organization', String(practice)], input);
      expect(said).toMatchObject({ code: 2, out: '' });
      expect(said.err).not.toMatch(/\d{4}/);
    }
  });

  it('of another practice are not found', async () => {
    const id = await newPatient(other);
    await admin(operator.env, ['patients', 'set-ssn', String(id), '--organization', String(other)], '219098700');
    const said = await admin(operator.env, ['patients', 'find-by-ssn', '--organization', String(practice)], '219098700');
    expect(said).toEqual({ code: 0, out: 'Nobody has this number.\n', err: '' });
  });
});
