import { describe, expect, it } from 'vitest';
import { sealGuarantorSsn, sealSsn } from '../../../src/domain/patients/record/ssn.ts';
import { type Actor, practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

const SSN = '219099184';
const GUARANTOR_SSN = '457551173';

const test = await sharedTestApp();
const clinic: Actor = await practiceClient(test);
/** Of the same organization, with the scope for whole numbers. */
const billing: Actor = await practiceClient(test, {
  organizationId: clinic.organizationId,
  scopes: ['practice.read', 'practice.write', 'ssn.read'],
});

const rows = () => test.database.prisma;

async function newPatient({ ssn = true, guarantor = true } = {}) {
  const { organizationId } = clinic;
  const { id } = await createPatient(rows(), { organizationId });
  const own = ssn ? sealSsn(test.keyring, { organizationId, row: id }, SSN) : null;
  const payer = guarantor ? sealGuarantorSsn(test.keyring, { organizationId, row: id }, GUARANTOR_SSN) : null;
  const data = {
    ssnEncrypted: own?.encrypted ?? null,
    ssnHash: own?.hash ?? null,
    ssnLastFour: own?.lastFour ?? null,
    guarantorSsnEncrypted: payer?.encrypted ?? null,
    guarantorSsnLastFour: payer?.lastFour ?? null,
  };
  await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data });
  return id;
}

async function read(client: Actor, id: number, query = '') {
  const answer = await client.get(`/patients/${id}${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body[0];
}

const details = async (id: number) => {
  const entries = await rows().auditEntry.findMany({
    where: { organizationId: clinic.organizationId, resource: 'patient', resourceIds: { has: id } },
    orderBy: { id: 'asc' },
    select: { detail: true },
  });
  return entries.map(({ detail }) => detail);
};

const MASKED = { ssn: '*****9184', guarantorssn: '*****1173' };
const WHOLE = { ssn: SSN, guarantorssn: GUARANTOR_SSN };

describe('social security numbers', () => {
  it('are whole with showfullssn and the scope, and that is audited on its own', async () => {
    const id = await newPatient();
    expect(await read(billing, id, '?showfullssn=true')).toMatchObject(WHOLE);
    expect(await details(id)).toEqual([null, 'full social security number']);
  });

  it.each(['', '?showfullssn=false'])('are masked with the scope and %j', async (query) => {
    const id = await newPatient();
    expect(await read(billing, id, query)).toMatchObject(MASKED);
    expect(await details(id)).toEqual([null]);
  });

  it('stay masked without the scope', async () => {
    const id = await newPatient();
    expect(await read(clinic, id, '?showfullssn=true')).toMatchObject(MASKED);
    expect(await details(id)).toEqual([null]);
  });

  it('are left out where there is none, and the look for them is audited', async () => {
    const id = await newPatient({ ssn: false });
    const shown = await read(billing, id, '?showfullssn=true');
    expect(shown).toMatchObject({ guarantorssn: GUARANTOR_SSN });
    expect(shown).not.toHaveProperty('ssn');
    expect(await details(id)).toEqual([null, 'full social security number']);
    expect(await read(billing, await newPatient({ guarantor: false }), '?showfullssn=true')).not.toHaveProperty('guarantorssn');
  });

  it('are in no log line', async () => {
    await read(billing, await newPatient(), '?showfullssn=true');
    expect(test.logs.length).toBeGreaterThan(0);
    expect(test.logs.join('\n')).not.toMatch(new RegExp(`${SSN}|${GUARANTOR_SSN}`));
  });

  it('are not shown of a restricted patient who is not asked for as such, and nothing is audited', async () => {
    const id = await newPatient();
    await rows().privacyRestriction.create({ data: { organizationId: clinic.organizationId, patientId: id, kind: 'blocked' } });
    const answer = await billing.get(`/patients/${id}?showfullssn=true`);
    expect([answer.status, answer.body]).toEqual([404, { error: 'There is no such patient.' }]);
    expect(await details(id)).toEqual([]);
    expect(await read(billing, id, '?showfullssn=true&ignorerestrictions=true')).toMatchObject(WHOLE);
    expect(await details(id)).toEqual(['despite a restriction', 'full social security number; despite a restriction']);
  });
});

describe('gender identity and sexual orientation', () => {
  it.each([
    ['Identifies as Female', 'Straight or heterosexual', 'Female', 'Straight (not lesbian or gay)'],
    ['Male', 'Lesbian or gay', 'Male', 'Lesbian or gay'],
    ['407377005', '42035005', 'Transgender male', 'Bisexual'],
    ['Additional gender category or other', 'something else', 'Additional gender category or other', 'Something else'],
    ['Two-Spirit', 'Pansexual', 'Two-Spirit', 'Pansexual'],
  ])(
    'stored as %s and %s are plain without show2015edcehrtvalues: %s, %s',
    async (identity, orientation, plainIdentity, plainOrientation) => {
      const { id } = await createPatient(rows(), {
        organizationId: clinic.organizationId,
        genderIdentity: identity,
        sexualOrientation: orientation,
      });
      const plain = { genderidentity: plainIdentity, sexualorientation: plainOrientation };
      expect(await read(clinic, id)).toMatchObject(plain);
      expect(await read(clinic, id, '?show2015edcehrtvalues=false')).toMatchObject(plain);
    },
  );

  it.each([
    ['Male', 'Straight (not lesbian or gay)', 'Identifies as Male', 'Straight or heterosexual'],
    ['446131000124102', 'UNK', 'Gender non-conforming (neither exclusively male nor female)', "Don't know"],
    ['Transgender female', 'Something else', 'Transgender Female/Male-to-Female (MTF)', 'Something else, please describe'],
    ['Choose not to disclose', 'Choose not to disclose', 'Choose not to disclose', 'Choose not to disclose'],
    ['Two-Spirit', 'Pansexual', 'Two-Spirit', 'Pansexual'],
  ])('stored as %s and %s are with it %s and %s', async (identity, orientation, genderidentity, sexualorientation) => {
    const { id } = await createPatient(rows(), {
      organizationId: clinic.organizationId,
      genderIdentity: identity,
      sexualOrientation: orientation,
    });
    expect(await read(clinic, id, '?show2015edcehrtvalues=true')).toMatchObject({ genderidentity, sexualorientation });
  });

  it('are left out where they are not known', async () => {
    const { id } = await createPatient(rows(), { organizationId: clinic.organizationId });
    const shown = await read(clinic, id, '?show2015edcehrtvalues=true');
    expect(Object.keys(shown).filter((name) => /gender|orientation/.test(name))).toEqual([]);
  });
});
