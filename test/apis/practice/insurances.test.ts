import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);
const { organizationId } = clinic;
const db = () => test.database.prisma;

const newPatient = async () =>
  (await createPatient(db(), { organizationId, firstName: 'Ada', lastName: 'Insured', birthDate: new Date('1980-02-09'), city: 'Cary' }))
    .id;
const add = (id: number, form: object) => clinic.post(`/patients/${id}/insurances`).type('form').send(form);
const change = (id: number, insurance: string, form: object) =>
  clinic.put(`/patients/${id}/insurances/${insurance}`).type('form').send(form);
const list = async (id: number, query = '') => (await clinic.get(`/patients/${id}/insurances${query}`)).body;

async function added(id: number, form: object) {
  const answer = await add(id, form);
  expect(answer.status, answer.text).toBe(200);
  return answer.body[0];
}

const FORM = {
  insurancepackageid: '2014',
  insuranceplanname: 'Evergreen PPO',
  insuranceidnumber: 'W123',
  policynumber: 'G7',
  insurancetype: 'Commercial',
  ircname: 'Evergreen Mutual',
  relationshiptoinsured: 'Spouse',
  relationshiptoinsuredid: '2',
  eligibilitystatus: 'Eligible',
  eligibilityreason: 'Checked by telephone',
  eligibilitylastchecked: '01/02/2026',
  issuedate: '01/01/2026',
  expirationdate: '12/31/2027',
  insurancepolicyholderfirstname: 'Ana',
  insurancepolicyholderlastname: 'Ruiz',
  insurancepolicyholderdob: '03/04/1979',
  insurancepolicyholdersex: 'F',
  insurancepolicyholdercountrycode: 'us',
};

describe('the insurances of a patient', () => {
  it('are added with all that a record shows, the primary first, and the patient is the holder in what is left out', async () => {
    const id = await newPatient();
    const first = await added(id, FORM);
    expect(first).toMatchObject({
      ...FORM,
      insurancepackageid: 2014,
      relationshiptoinsuredid: 2,
      sequencenumber: 1,
      insurancepolicyholder: 'Ana Ruiz',
      insurancepolicyholdercountrycode: 'USA',
      insurancepolicyholdercity: 'Cary',
      insuredfirstname: 'Ana',
    });
    const second = await added(id, { insurancepackageid: 2014, insuranceidnumber: 'W124' });
    expect(second).toMatchObject({ insuranceplanname: 'Evergreen PPO', sequencenumber: 2, insurancepolicyholderlastname: 'Insured' });
    expect(await list(id)).toMatchObject({ totalcount: 2, insurances: [first, second] });
    expect(await list(id, '?limit=1&offset=1')).toMatchObject({ totalcount: 2, insurances: [second] });
    expect((await clinic.get(`/patients/${id}?showinsurance=true`)).body[0].insurances).toEqual([first, second]);
    await db().insurancePackage.create({ data: { organizationId, id: 2015, planName: 'Evergreen HMO' } });
    expect(await added(id, { insurancepackageid: 2015, sequencenumber: 9 })).toMatchObject({ insuranceplanname: 'Evergreen HMO' });
    const found = (await clinic.get('/insurancepackages?insuranceplanname=EVERGREEN&memberid=W123&stateofcoverage=NC')).body;
    expect(found.insurancepackages).toEqual([
      { insurancepackageid: 2015, insuranceplanname: 'Evergreen HMO' },
      { insurancepackageid: 2014, insuranceplanname: 'Evergreen PPO', insurancetype: 'Commercial', ircname: 'Evergreen Mutual' },
    ]);
  });

  it('have one place each: another one for it is 409, until it is changed or cancelled', async () => {
    const id = await newPatient();
    const primary = await added(id, { insuranceplanname: 'One', sequencenumber: 1 });
    const secondary = await added(id, { insuranceplanname: 'Two' });
    for (const refused of [
      await add(id, { insuranceplanname: 'Three', sequencenumber: 1 }),
      await change(id, secondary.insuranceid, { newsequencenumber: 1 }),
      await clinic.put(`/patients/${id}/insurances?sequencenumber=2&newsequencenumber=1`),
    ])
      expect([refused.status, refused.body.error], refused.text).toEqual([
        409,
        expect.stringContaining(`Insurance ${primary.insuranceid}`),
      ]);
    const cancelled = await clinic
      .delete(`/patients/${id}/insurances/${primary.insuranceid}`)
      .type('form')
      .send({ cancellationnote: 'Moved' });
    expect([cancelled.status, cancelled.body, cancelled.headers['warning-fields']]).toEqual([
      200,
      { success: true, message: '' },
      'cancellationnote',
    ]);
    expect((await change(id, primary.insuranceid, { insuranceidnumber: 'X' })).status).toBe(409);
    await change(id, secondary.insuranceid, { newsequencenumber: 1, insuranceid: secondary.insuranceid }).expect(200);
    expect(await list(id)).toMatchObject({ totalcount: 1, insurances: [{ insuranceplanname: 'Two', sequencenumber: 1 }] });
    expect((await list(id, '?showcancelled=true')).insurances).toMatchObject([
      { insuranceplanname: 'One', sequencenumber: 1, cancelled: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/) },
      { insuranceplanname: 'Two' },
    ]);
    const back = `/patients/${id}/insurances/${primary.insuranceid}/reactivate`;
    expect((await clinic.post(back)).status).toBe(409);
    await clinic.delete(`/patients/${id}/insurances?sequencenumber=1`).expect(200);
    expect((await clinic.post(back).type('form').send({ expirationdate: '12/31/2030' })).body).toEqual({ success: true, message: '' });
    expect((await list(id)).insurances).toMatchObject([{ insuranceplanname: 'One', expirationdate: '12/31/2030' }]);
  });

  it('are changed field by field, and an empty one is cleared', async () => {
    const id = await newPatient();
    const { insuranceid } = await added(id, FORM);
    await change(id, insuranceid, { eligibilitystatus: 'Ineligible', eligibilityreason: '', insurancepolicyholdermiddlename: 'M' }).expect(
      200,
    );
    const [shown] = (await list(id)).insurances;
    expect(shown).toMatchObject({ eligibilitystatus: 'Ineligible', insurancepolicyholdermiddlename: 'M', insuranceidnumber: 'W123' });
    expect(shown).not.toHaveProperty('eligibilityreason');
    expect((await change(id, insuranceid, shown)).status).toBe(200);
    const events = await db().event.findMany({ where: { organizationId, subjectType: 'patient', subjectId: id } });
    expect(events.map(({ changed }) => changed)).toEqual([['insurances'], ['insurances']]);
  });

  it.each([
    ['insurancepackageid', '999999', 404],
    ['insuranceplanname', '', 400],
    ['sequencenumber', '0', 400],
    ['eligibilitystatus', 'Maybe', 400],
    ['issuedate', '02/30/2026', 400],
    ['insurancepolicyholderdob', '01/01/2999', 400],
    ['insurancepolicyholder', 'Somebody Else', 400],
  ])('refuse %s "%s", and add nothing', async (name, value, status) => {
    const id = await newPatient();
    const plan = name === 'insurancepackageid' ? {} : { insuranceplanname: 'Plan' };
    const refused = await add(id, { ...plan, [name]: value });
    expect([refused.status, [...(refused.body.invalidfields ?? []), ...(refused.body.missingfields ?? [])]], refused.text).toEqual([
      status,
      [name],
    ]);
    expect((await list(id)).totalcount).toBe(0);
  });

  it('of one patient are not found at another, with their cards', async () => {
    const [id, other] = [await newPatient(), await newPatient()];
    const { insuranceid } = await added(id, { insuranceplanname: 'One' });
    const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
    const card = (patient: number) => `/patients/${patient}/insurances/${insuranceid}/image`;
    expect((await clinic.put(card(id)).type('form').send({ image: PNG })).body).toEqual({ success: true });
    expect((await clinic.get(card(id))).body).toEqual({ image: PNG });
    for (const refused of [
      await clinic.get(card(other)),
      await clinic.post(card(other)).type('form').send({ image: PNG }),
      await change(other, insuranceid, { insuranceplanname: 'Two' }),
      await clinic.delete(`/patients/${other}/insurances/${insuranceid}`),
    ])
      expect(refused.status).toBe(404);
    expect((await clinic.delete(card(id))).status).toBe(200);
    expect((await clinic.get(card(id))).status).toBe(404);
  });
});
