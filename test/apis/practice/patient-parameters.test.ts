import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createCharts } from './charts.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);

const { rows, newPatient, read } = createCharts(() => ({ test, clinic }));

describe('the portal status', () => {
  const at = (text: string) => new Date(text);
  const registered = { registeredAt: at('2026-02-01T03:00:00Z'), termsAcceptedAt: at('2026-02-01T12:00:00Z') };
  const blocked = { ...registered, failedLogins: 5, blockedAt: at('2026-03-01T12:00:00Z') };

  async function readPortal(
    accounts: { holder: 'PATIENT' | 'FAMILY'; registeredAt?: Date; blockedAt?: Date; lastLoginAt?: Date }[],
    restriction?: { liftedAt: Date | null },
  ) {
    const { organizationId } = clinic;
    const { id: patientId } = await newPatient();
    await rows().portalAccount.createMany({ data: accounts.map((account) => ({ organizationId, patientId, ...account })) });
    if (restriction) await rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'portal', ...restriction } });
    const { portalstatus } = await read(patientId, '?showportalstatus=true');
    expect(portalstatus).toHaveLength(1);
    return portalstatus[0];
  }

  it('has all eleven fields', async () => {
    const own = { holder: 'PATIENT' as const, ...registered, lastLoginAt: at('2026-03-02T03:00:00Z') };
    const family = { holder: 'FAMILY' as const, ...blocked, lastLoginAt: at('2026-03-05T12:00:00Z') };
    expect(await readPortal([own, family])).toEqual({
      status: 'REGISTERED',
      entitytodisplay: 'PATIENT',
      noportalyn: false,
      registeredyn: true,
      familyregisteredyn: true,
      blockedfailedloginsyn: false,
      familyblockedfailedloginsyn: true,
      termsaccepted: true,
      portalregistrationdate: '01/31/2026',
      lastlogindate: '03/05/2026',
      lastloginentity: 'FAMILY',
    });
  });

  it.each([
    ['NOTREGISTERED', [], undefined],
    ['NOTREGISTERED', [{ holder: 'PATIENT' as const }], undefined],
    ['REGISTERED', [{ holder: 'PATIENT' as const, ...registered }], undefined],
    ['REGISTERED', [{ holder: 'PATIENT' as const, ...registered }], { liftedAt: at('2026-01-01T12:00:00Z') }],
    ['FAMILYLOGIN', [{ holder: 'FAMILY' as const, ...registered }], undefined],
    ['BLOCKEDFAILEDLOGINS', [{ holder: 'PATIENT' as const, ...blocked }], undefined],
    ['FAMILYBLOCKEDFAILEDLOGINS', [{ holder: 'FAMILY' as const, ...blocked }], undefined],
    ['NOPORTAL', [{ holder: 'PATIENT' as const, ...registered }], { liftedAt: null }],
  ])('is %s of %j under %j', async (status, accounts, restriction) => {
    expect(await readPortal(accounts, restriction)).toMatchObject({ status, noportalyn: status === 'NOPORTAL' });
  });
});

describe('the portal status of a departmental copy', () => {
  const registered = { holder: 'PATIENT' as const, registeredAt: new Date('2026-02-01T12:00:00Z') };

  it('is that of the person, unless the copy has an account of its own', async () => {
    const { organizationId } = clinic;
    const enterprise = await newPatient();
    const copy = await newPatient({ enterpriseId: enterprise.id });
    const status = async (id: number) => (await read(id, '?showportalstatus=true')).portalstatus[0].status;
    await rows().portalAccount.create({ data: { organizationId, patientId: enterprise.id, ...registered } });
    expect(await status(copy.id)).toBe('REGISTERED');
    await rows().portalAccount.create({ data: { organizationId, patientId: copy.id, ...registered, blockedAt: new Date() } });
    expect([await status(copy.id), await status(enterprise.id)]).toEqual(['BLOCKEDFAILEDLOGINS', 'REGISTERED']);
    await rows().privacyRestriction.create({ data: { organizationId, patientId: enterprise.id, kind: 'portal' } });
    expect([await status(copy.id), await status(enterprise.id)]).toEqual(['NOPORTAL', 'NOPORTAL']);
  });
});

describe('localpatientid', () => {
  it('is the id that was asked for, and of an enterprise chart those of its copies', async () => {
    const enterprise = await newPatient();
    const [first, second, gone] = [
      await newPatient({ enterpriseId: enterprise.id }),
      await newPatient({ enterpriseId: enterprise.id }),
      await newPatient({ enterpriseId: enterprise.id, status: 'deleted' }),
    ];
    const localIds = async (id: number) => (await read(id, '?showlocalpatientid=true')).localpatientid;
    expect(await localIds(enterprise.id)).toBe(`${first.id},${second.id}`);
    expect(await localIds(first.id)).toBe(String(first.id));
    expect(await localIds((await newPatient()).id)).toMatch(/^\d+$/);
    expect(gone.id).toBeGreaterThan(second.id);
  });
});

describe('what is shown of a patient', () => {
  const BLOCKS = {
    showallpatientdepartmentstatus: ['allpatientstatuses'],
    showbalancedetails: ['balances', 'claims'],
    showcustomfields: ['customfields'],
    showinsurance: ['insurances'],
    showlocalpatientid: ['localpatientid'],
    showportalstatus: ['portalstatus'],
  };
  const ALL = Object.values(BLOCKS).flat();

  it.each(Object.entries(BLOCKS))('has with %s also %j, and without it nothing of that', async (parameter, blocks) => {
    const { id } = await newPatient();
    for (const on of ['true', 'TRUE', '1']) {
      const shown = Object.keys(await read(id, `?${parameter}=${on}`)).filter((name) => ALL.includes(name));
      expect(shown.toSorted()).toEqual(blocks);
    }
    for (const off of ['', `?${parameter}=false`, `?${parameter}=False`, `?${parameter}=0`]) {
      expect(Object.keys(await read(id, off)).filter((name) => ALL.includes(name))).toEqual([]);
    }
  });

  it('has all of it where all of it is asked for', async () => {
    const { id } = await newPatient();
    const query = Object.keys(BLOCKS).map((parameter) => `${parameter}=true`);
    const shown = Object.keys(await read(id, `?${query.join('&')}`)).filter((name) => ALL.includes(name));
    expect(shown.toSorted()).toEqual(ALL.toSorted());
  });

  it.each([...Object.keys(BLOCKS), 'ignorerestrictions', 'show2015edcehrtvalues', 'showallclaims', 'showfullssn'])(
    'is refused with a %s that is neither true nor false',
    async (parameter) => {
      const { id } = await newPatient();
      for (const wrong of ['perhaps', '2', 'constructor', `true&${parameter}=true`]) {
        const answer = await clinic.get(`/patients/${id}?${parameter}=${wrong}`);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ error: 'The data provided is invalid.', invalidfields: [parameter], missingfields: [] });
      }
    },
  );
});
