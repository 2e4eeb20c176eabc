import { describe, expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient, createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test, { scopes: ['practice.read', 'practice.write', 'ssn.read'] });
const { organizationId } = clinic;
const db = () => test.database.prisma;

await db().organization.update({ where: { id: organizationId }, data: { hasMedicationHistory: true } });
const office = await createOffice(db(), { organizationId });
const provider = await createProvider(db(), { organizationId });
const employer = await db().employer.create({
  data: { organizationId, name: 'Mill Street Bakery', phone: '+13035550144', address: '1 Mill St', city: 'Boulder' },
});

const newPatient = async () => (await createPatient(db(), { organizationId, firstName: 'Ada', lastName: 'Door' })).id;
const put = (id: number, form: object, client = clinic) => client.put(`/patients/${id}`).type('form').send(form);
const read = async (id: number) => (await clinic.get(`/patients/${id}`)).body[0];
const listChanges = async (id: number) =>
  (await db().event.findMany({ where: { organizationId, subjectType: 'patient', subjectId: id }, orderBy: { id: 'asc' } })).flatMap(
    ({ name, changed }) => (name === 'patient.updated' ? [changed.toSorted()] : []),
  );

/** Every field of the record that a form writes, as the record shows it. */
const FORM = {
  status: 'prospective',
  firstname: 'Zoë',
  middlename: 'Maria',
  lastname: 'Núñez',
  suffix: 'Jr.',
  preferredname: 'Zo',
  altfirstname: 'Zoey',
  preferredpronouns: 'she/her',
  sex: 'F',
  assignedsexatbirth: 'F',
  genderidentity: 'Female',
  genderidentityother: 'own words',
  sexualorientation: 'Bisexual',
  sexualorientationother: 'more words',
  dob: '02/09/1980',
  deceaseddate: '01/02/2026',
  registrationdate: '03/04/2020',
  maritalstatus: 'W',
  race: ['2106-3', '2054-5'],
  ethnicitycode: '2186-5',
  language6392code: 'spa',
  address1: '1 Elm Street',
  address2: 'Rear',
  city: 'Cary',
  state: 'NC',
  zip: '27511',
  countrycode: 'USA',
  countrycode3166: 'US',
  homephone: '9195550190',
  mobilephone: '9195550191',
  workphone: '9195550192',
  email: 'zoe@example.com',
  contactpreference: 'MOBILEPHONE',
  contactname: 'Ana Ruiz',
  contactrelationship: 'SPOUSE',
  contacthomephone: '9195550193',
  contactmobilephone: '9195550194',
  nextkinname: 'Leo Ruiz',
  nextkinrelationship: 'CHILD',
  nextkinphone: '9195550195',
  guardianfirstname: 'Gus',
  guardianmiddlename: 'G',
  guardianlastname: 'Ward',
  guardiansuffix: 'Sr.',
  guarantorfirstname: 'Pat',
  guarantormiddlename: 'P',
  guarantorlastname: 'Payer',
  guarantorsuffix: 'III',
  guarantordob: '05/06/1970',
  guarantoraddresssameaspatient: 'false',
  guarantoraddress1: '9 Far Lane',
  guarantoraddress2: 'Unit 2',
  guarantorcity: 'Utica',
  guarantorstate: 'NY',
  guarantorzip: '13501',
  guarantorcountrycode: 'USA',
  guarantorcountrycode3166: 'US',
  guarantoremail: 'payer@example.com',
  guarantorphone: '3155550190',
  guarantorrelationshiptopatient: '3',
  portaltermsonfile: 'true',
  portalaccessgiven: 'true',
  privacyinformationverified: 'true',
  ssn: '*****8642',
  guarantorssn: '*****8643',
};
const FLAGS = {
  donotcallyn: true,
  homeboundyn: true,
  consenttotext: false,
  portalsignatureonfile: true,
  medicationhistoryconsentverified: true,
};
const CODES = { industrycode: 770, occupationcode: 'other' };
const IDS = { employerid: employer.id, guarantoremployerid: employer.id };
const REFERENCES = { departmentid: String(office.id), primaryproviderid: String(provider.id) };
const SHOWN = { ...FORM, ...FLAGS, ...CODES, ...IDS, ...REFERENCES };
const SENT = { ...SHOWN, ssn: '219-09-8642', guarantorssn: '219098643' };

describe('the form of a patient', () => {
  it('takes all that the record shows, on a new patient and on a change, and every dialect shows it', async () => {
    const registered = await clinic.post('/patients').type('form').send(SENT);
    expect(registered.status, registered.text).toBe(200);
    expect(registered.headers).not.toHaveProperty('warning-fields');
    expect(await read(registered.body[0].patientid)).toMatchObject(SHOWN);
    const id = await newPatient();
    const changed = await put(id, { ...SENT, mobilephone: '9195550199' });
    expect([changed.status, changed.headers['warning-fields']]).toEqual([200, undefined]);
    expect(await read(id)).toMatchObject({
      ...SHOWN,
      mobilephone: '9195550199',
      employername: 'Mill Street Bakery',
      employerphone: '3035550144',
    });
    const app = await integrationClient(test, { organizationId });
    const other = { preferred_name: 'Zo', language: 'spa', deceased_date: '2026-01-02', contact_preference: 'MOBILEPHONE' };
    const guardian = { firstname: 'Gus', middlename: 'G', lastname: 'Ward', suffix: 'Sr.' };
    expect((await app.get(`/patients/${id}`)).body.data).toMatchObject({ ...other, guardian });
    const nurse = await signedInUser(test, { organizationId });
    expect((await nurse.get(`/patients/${id}`)).body.data).toMatchObject({ ...other, guardian, status: 'prospective', do_not_call: true });
    const found = await clinic.get('/patients?ssn=219098642&mobilephone=9195550199');
    expect(found.body.patients).toMatchObject([{ patientid: String(id) }]);
  });

  it('takes the whole record back as it is shown, and changes nothing', async () => {
    const id = await newPatient();
    await put(id, SENT).expect(200);
    const [before, changes] = [await read(id), await listChanges(id)];
    const answer = await put(id, before);
    expect([answer.status, answer.headers['warning-fields'], answer.text]).toEqual([
      200,
      undefined,
      JSON.stringify([{ patientid: String(id) }]),
    ]);
    expect(await read(id)).toEqual(before);
    expect(await listChanges(id)).toEqual(changes);
    // What the record shows of the employer and of the account does not become the patient's own.
    await db().employer.update({
      where: { organizationId_id: { organizationId, id: employer.id } },
      data: { phone: '+13035550145' },
    });
    expect(await read(id)).toMatchObject({ employerphone: '3035550145' });
    await db().employer.update({ where: { organizationId_id: { organizationId, id: employer.id } }, data: { phone: '+13035550144' } });
  });

  it.each([
    ['patientid', '1'],
    ['employername', 'Elsewhere'],
    ['hasmobileyn', 'true'],
    ['racename', 'Asian'],
    ['lastemail', 'a@example.com'],
    ['firstappointment', '01/01/2020 09:00'],
    ['insurances', '[]'],
  ])('refuses %s where it is another than what is shown, and changes nothing', async (name, value) => {
    const id = await newPatient();
    const refused = await put(id, { city: 'Apex', [name]: value });
    expect([refused.status, refused.body.invalidfields]).toEqual([400, [name]]);
    expect((await read(id)).city).toBeUndefined();
    const created = await clinic
      .post('/patients')
      .type('form')
      .send({ lastname: 'New', [name]: value });
    expect([created.status, created.body.invalidfields]).toEqual([400, [name]]);
  });

  it('takes the mask of a number as it is shown, and ignores one on a new patient, as sample programs send it', async () => {
    const refused = await put(await newPatient(), { ssn: '*****1111' });
    expect([refused.status, refused.body.invalidfields]).toEqual([400, ['ssn']]);
    const created = await clinic.post('/patients').type('form').send({ lastname: 'New', ssn: '*****1111' });
    expect([created.status, created.headers['warning-fields']]).toEqual([200, 'ssn']);
    expect(await read(created.body[0].patientid)).not.toHaveProperty('ssn');
  });

  it('takes what follows from the change beside it', async () => {
    const id = await newPatient();
    await put(id, { maritalstatus: 'm', maritalstatusname: 'Married', mobilephone: '9195550100', hasmobile: 'true' }).expect(200);
    expect(await read(id)).toMatchObject({
      maritalstatus: 'M',
      hasmobileyn: true,
      hasmobile: true,
      emailexistsyn: null,
      emailexists: null,
    });
  });

  it('clears what is sent empty, but for the fields of the document and names', async () => {
    const id = await newPatient();
    await put(id, SENT).expect(200);
    const emptied = Object.fromEntries(Object.keys(SENT).map((name) => [name, '']));
    await put(id, emptied).expect(200);
    const shown = await read(id);
    expect(shown).toMatchObject({
      firstname: 'Zoë',
      lastname: 'Núñez',
      city: 'Cary',
      dob: '02/09/1980',
      status: 'prospective',
      donotcallyn: true,
    });
    for (const name of ['deceaseddate', 'guardianlastname', 'employerid', 'ssn', 'contactname', 'workphone', 'middlename', 'guarantorzip'])
      expect(shown, name).not.toHaveProperty(name);
    await put(id, { address1: '2 Oak Road', address2: '' }).expect(200);
    expect(await read(id)).not.toHaveProperty('address2');
  });

  it.each([
    ['language6392code', 'zzzz'],
    ['ethnicitycode', '1'],
    ['genderidentity', 'unheard of'],
    ['contactrelationship', 'BOSS'],
    ['maritalstatus', 'Q'],
    ['countrycode', 'ZZ'],
    ['industrycode', '12345'],
    ['status', 'gone'],
    ['deceaseddate', '01/01/2999'],
    ['deceaseddate', '01/01/1979'],
    ['guarantordob', '02/30/1980'],
    ['ssn', '000-12-3456'],
    ['donotcallyn', 'perhaps'],
    ['guarantoremail', 'nobody'],
    ['countrycode3166', 'CA'],
  ])('refuses %s %s, and names it', async (name, value) => {
    const id = await newPatient();
    const refused = await put(id, { dob: '02/09/1980', countrycode: 'US', [name]: value });
    expect([refused.status, refused.body.invalidfields], refused.text).toEqual([400, [name]]);
  });

  it('refuses employers and providers that do not exist, and a consent that the practice does not ask for', async () => {
    const id = await newPatient();
    for (const name of ['employerid', 'guarantoremployerid', 'primaryproviderid']) {
      const refused = await put(id, { [name]: '2000000000' });
      expect([refused.status, refused.body.invalidfields]).toEqual([404, [name]]);
    }
    const plain = await practiceClient(test);
    const there = (await createPatient(db(), { organizationId: plain.organizationId })).id;
    const refused = await put(there, { medicationhistoryconsentverified: 'true' }, plain);
    expect([refused.status, refused.body.invalidfields]).toEqual([400, ['medicationhistoryconsentverified']]);
    await db().privacyRestriction.create({ data: { organizationId, patientId: id, kind: 'portal' } });
    expect((await put(id, { portalaccessgiven: 'true' })).status).toBe(409);
  });
});
