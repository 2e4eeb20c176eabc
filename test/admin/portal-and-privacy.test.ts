import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PortalStatusName, portalStatus } from '../../src/domain/patients/portal/portal-status.ts';
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

/** The status that the practice API computes of what the commands stored. */
async function readStatus(id: number): Promise<PortalStatusName> {
  const where = { organizationId: practice, patientId: id };
  const accounts = await db().portalAccount.findMany({ where });
  const findAccount = (holder: string) => accounts.find((account) => account.holder === holder) ?? null;
  const noPortal = (await db().privacyRestriction.count({ where: { ...where, kind: 'portal', liftedAt: null } })) > 0;
  return portalStatus({ own: findAccount('PATIENT'), family: findAccount('FAMILY'), noPortal, timeZone: 'UTC' }).status;
}

const portal = (step: string, id: number, more = '') => operator.say(`portal-accounts ${step} ${id} --practice ${practice}${more}`);

async function done(...steps: [step: string, id: number, more?: string][]): Promise<void> {
  for (const [step, id, more] of steps) expect(await portal(step, id, more), step).toMatchObject({ code: 0, err: '' });
}

describe('portal accounts', () => {
  it('go through every status that the practice API knows', async () => {
    const [own, family] = [await newPatient(), await newPatient()];
    const theirs = ' --holder family';
    expect(await readStatus(own)).toBe('NOTREGISTERED');
    await done(['give', own]);
    expect(await readStatus(own)).toBe('NOTREGISTERED');
    await done(['register', own]);
    expect(await readStatus(own)).toBe('REGISTERED');
    await done(['block', own]);
    expect(await readStatus(own)).toBe('BLOCKEDFAILEDLOGINS');
    await done(['unblock', own]);
    expect(await readStatus(own)).toBe('REGISTERED');
    await done(['give', family, theirs], ['register', family, theirs]);
    expect(await readStatus(family)).toBe('FAMILYLOGIN');
    await done(['block', family, theirs]);
    expect(await readStatus(family)).toBe('FAMILYBLOCKEDFAILEDLOGINS');
    await db().privacyRestriction.create({ data: { organizationId: practice, patientId: own, kind: 'portal' } });
    expect(await readStatus(own)).toBe('NOPORTAL');
  });

  it('remember when, where a day is one of the practice, and what was accepted', async () => {
    const id = await newPatient();
    await done(
      ['give', id],
      ['register', id, ' --at 2026-01-02'],
      ['accept-terms', id, ' --at 2026-01-03T08:00:00-05:00'],
      ['log-in', id, ' --at 2026-01-04T10:00:00Z'],
    );
    expect(await operator.ask(Rows, `portal-accounts list ${id} --practice ${practice}`)).toMatchObject([
      {
        holder: 'patient',
        registered_at: '2026-01-02T05:00:00Z',
        terms_accepted_at: '2026-01-03T13:00:00Z',
        last_login_at: '2026-01-04T10:00:00Z',
        blocked_at: null,
      },
    ]);
    const chart = await db().patient.findUniqueOrThrow({ where: { organizationId_id: { organizationId: practice, id } } });
    expect(chart).toMatchObject({ portalAccessGiven: true, portalTermsOnFile: true });
    const events = await db().event.findMany({ where: { organizationId: practice, subjectId: id }, orderBy: { id: 'asc' } });
    expect(events.map(({ changed }) => changed)).toEqual([
      ['portalAccounts', 'portalAccessGiven'],
      ['portalAccounts'],
      ['portalAccounts', 'portalTermsOnFile'],
      ['portalAccounts'],
    ]);
  });

  it('refuse a step that does not follow, and change nothing', async () => {
    const id = await newPatient();
    expect(await portal('register', id)).toEqual({ code: 1, out: '', err: 'There is no such portal account.\n' });
    await done(['give', id]);
    expect(await portal('give', id)).toMatchObject({ code: 1, err: 'They already have access.\n' });
    for (const step of ['log-in', 'accept-terms', 'block'])
      expect(await portal(step, id)).toMatchObject({ code: 1, err: 'The account is not registered yet.\n' });
    await done(['register', id]);
    expect((await portal('register', id)).code).toBe(1);
    await done(['block', id]);
    expect(await portal('log-in', id)).toMatchObject({ code: 1, err: expect.stringContaining('Unblock it first') });
    const [account] = await db().portalAccount.findMany({ where: { organizationId: practice, patientId: id } });
    expect(account?.lastLoginAt).toBeNull();
    expect(await portal('register', id, ' --holder neighbour')).toMatchObject({ code: 2 });
  });

  it('are not given under a restriction of the portal', async () => {
    const id = await newPatient();
    const restriction = await db().privacyRestriction.create({ data: { organizationId: practice, patientId: id, kind: 'portal' } });
    expect(await portal('give', id)).toMatchObject({ code: 1, err: expect.stringContaining(`Restriction ${restriction.id}`) });
    await db().privacyRestriction.updateMany({ where: { organizationId: practice, id: restriction.id }, data: { liftedAt: new Date() } });
    await done(['give', id]);
  });
});

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
