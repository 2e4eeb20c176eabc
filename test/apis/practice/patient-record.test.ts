import { beforeAll, describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient, createProvider } from '../../support/factories.ts';

type Row = Omit<Parameters<typeof createPatient>[1], 'organizationId'>;

/** Ids of records that charts refer to. */
let known: { office: number; provider: number; employer: number; guarantorEmployer: number };

const test = await sharedTestApp();
const clinic = await practiceClient(test, { organization: { hasMedicationHistory: true } });

beforeAll(async () => {
  const { organizationId } = clinic;
  const db = test.database.prisma;
  const employer = (name: string) =>
    db.employer.create({ data: { organizationId, name, phone: '+13155550100', address: '9 Mill Road', city: 'Utica' } });
  known = {
    office: (await createOffice(db, { organizationId })).id,
    provider: (await createProvider(db, { organizationId })).id,
    employer: (await employer('Acme')).id,
    guarantorEmployer: (await employer('Globex')).id,
  };
});

/** A new chart as the search shows it. */
async function readRecord(row: Row, asker = clinic): Promise<Record<string, unknown>> {
  const { id } = await createPatient(test.database.prisma, { organizationId: asker.organizationId, ...row });
  return shownAgain(id, asker);
}

async function shownAgain(id: number, asker = clinic): Promise<Record<string, unknown>> {
  const answer = await asker.get('/patients?limit=5000');
  expect(answer.status, answer.text).toBe(200);
  return answer.body.patients.find(({ patientid }: { patientid: string }) => patientid === String(id));
}

/** A row, a field, and what it is on the wire. */
const SAME_TEXT: [field: string, column: keyof Row][] = [
  ['firstname', 'firstName'],
  ['middlename', 'middleName'],
  ['lastname', 'lastName'],
  ['suffix', 'suffix'],
  ['preferredname', 'preferredName'],
  ['altfirstname', 'altFirstName'],
  ['preferredpronouns', 'preferredPronouns'],
  ['assignedsexatbirth', 'assignedSexAtBirth'],
  ['genderidentityother', 'genderIdentityOther'],
  ['sexualorientationother', 'sexualOrientationOther'],
  ['address1', 'address1'],
  ['address2', 'address2'],
  ['city', 'city'],
  ['state', 'state'],
  ['zip', 'zip'],
  ['countrycode', 'countryCode'],
  ['countrycode3166', 'countryCode3166'],
  ['email', 'email'],
  ['contactpreference', 'contactPreference'],
  ['contactname', 'contactName'],
  ['contactrelationship', 'contactRelationship'],
  ['nextkinname', 'nextOfKinName'],
  ['nextkinrelationship', 'nextOfKinRelationship'],
  ['guardianfirstname', 'guardianFirstName'],
  ['guardianmiddlename', 'guardianMiddleName'],
  ['guardianlastname', 'guardianLastName'],
  ['guardiansuffix', 'guardianSuffix'],
  ['guarantorfirstname', 'guarantorFirstName'],
  ['guarantormiddlename', 'guarantorMiddleName'],
  ['guarantorlastname', 'guarantorLastName'],
  ['guarantorsuffix', 'guarantorSuffix'],
  ['guarantoraddress1', 'guarantorAddress1'],
  ['guarantoraddress2', 'guarantorAddress2'],
  ['guarantorcity', 'guarantorCity'],
  ['guarantorstate', 'guarantorState'],
  ['guarantorzip', 'guarantorZip'],
  ['guarantorcountrycode', 'guarantorCountryCode'],
  ['guarantorcountrycode3166', 'guarantorCountryCode3166'],
  ['guarantoremail', 'guarantorEmail'],
  ['guarantorrelationshiptopatient', 'guarantorRelationshipToPatient'],
];

const PHONES: [field: string, column: keyof Row][] = [
  ['homephone', 'homePhone'],
  ['mobilephone', 'mobilePhone'],
  ['workphone', 'workPhone'],
  ['contacthomephone', 'contactHomePhone'],
  ['contactmobilephone', 'contactMobilePhone'],
  ['nextkinphone', 'nextOfKinPhone'],
  ['guarantorphone', 'guarantorPhone'],
  ['employerphone', 'employerPhone'],
];

const DAYS: [field: string, column: keyof Row][] = [
  ['dob', 'birthDate'],
  ['deceaseddate', 'deceasedDate'],
  ['registrationdate', 'registrationDate'],
  ['guarantordob', 'guarantorBirthDate'],
];

const WRITTEN: [field: string, wire: unknown, row: () => Row][] = [
  ['departmentid', () => String(known.office), () => ({ primaryOfficeId: known.office })],
  ['primarydepartmentid', () => String(known.office), () => ({ primaryOfficeId: known.office })],
  ['primaryproviderid', () => String(known.provider), () => ({ primaryProviderId: known.provider })],
  ['employerid', () => known.employer, () => ({ employerId: known.employer })],
  ['guarantoremployerid', () => known.guarantorEmployer, () => ({ guarantorEmployerId: known.guarantorEmployer })],
  ['employername', 'Acme', () => ({ employerId: known.employer })],
  ['employeraddress', '9 Mill Road', () => ({ employerId: known.employer })],
  ['employercity', 'Utica', () => ({ employerId: known.employer })],
  ['employerphone', '3155550100', () => ({ employerId: known.employer })],
  ['employerphone', '9105550123', () => ({ employerId: known.employer, employerPhone: '+19105550123' })],
  ['status', 'active', () => ({})],
  ['status', 'inactive', () => ({ status: 'inactive' })],
  ['status', 'prospective', () => ({ status: 'prospective' })],
  ['sex', 'F', () => ({ sex: 'F' })],
  ['sex', undefined, () => ({ sex: 'diverse' })],
  ['genderidentity', 'Female', () => ({ genderIdentity: 'Identifies as Female' })],
  ['sexualorientation', 'Bisexual', () => ({ sexualOrientation: 'Bisexual' })],
  ['maritalstatus', 'W', () => ({ maritalStatus: 'W' })],
  ['maritalstatusname', 'Widowed', () => ({ maritalStatus: 'W' })],
  ['race', ['2106-3', '2054-5'], () => ({ races: ['2106-3', '2054-5'] })],
  ['race', ['declined'], () => ({ races: ['declined'] })],
  ['race', undefined, () => ({ races: [] })],
  ['racename', 'White', () => ({ races: ['2106-3', '2054-5'] })],
  ['racename', undefined, () => ({ races: ['declined'] })],
  ['racecode', 'R5', () => ({ races: ['2106-3', '2054-5'] })],
  ['ethnicitycode', '2186-5', () => ({ ethnicityCode: '2186-5' })],
  ['language6392code', 'spa', () => ({ languageCode: 'spa' })],
  ['ssn', '*****4181', () => ({ ssnLastFour: '4181' })],
  ['guarantorssn', '*****4182', () => ({ guarantorSsnLastFour: '4182' })],
  ['industrycode', 770, () => ({ industryCode: '0770' })],
  ['industrycode', 'other', () => ({ industryCode: 'other' })],
  ['occupationcode', 3255, () => ({ occupationCode: '3255' })],
  ['occupationcode', 'other', () => ({ occupationCode: 'other' })],
  ['email', 'declined', () => ({ emailDeclined: true })],
  ['emailexistsyn', true, () => ({ email: 'zoe@example.com' })],
  ['emailexistsyn', false, () => ({ emailDeclined: true })],
  ['emailexistsyn', null, () => ({})],
  ['lastemail', 'old@example.com', () => ({ email: 'zoe@example.com', lastEmail: 'old@example.com' })],
  ['lastemail', undefined, () => ({ email: 'zoe@example.com' })],
  ['lastemail', 'old@example.com', () => ({ lastEmail: 'old@example.com' })],
  ['hasmobileyn', true, () => ({ mobilePhone: '+19105550123' })],
  ['hasmobileyn', false, () => ({ mobilePhoneDeclined: true })],
  ['hasmobileyn', null, () => ({ homePhone: '+19105550123' })],
  ['mobilephone', undefined, () => ({ mobilePhoneDeclined: true })],
  ['mobilephone', '+442079460958', () => ({ mobilePhone: '+442079460958' })],
  ['donotcallyn', true, () => ({ doNotCall: true })],
  ['donotcallyn', false, () => ({})],
  ['homeboundyn', true, () => ({ homebound: true })],
  ['homeboundyn', false, () => ({})],
  ['guarantoraddresssameaspatient', 'true', () => ({ guarantorAddressSameAsPatient: true })],
  ['guarantoraddresssameaspatient', 'false', () => ({ guarantorAddressSameAsPatient: false })],
  ['portaltermsonfile', 'true', () => ({ portalTermsOnFile: true })],
  ['portaltermsonfile', 'false', () => ({ portalTermsOnFile: false })],
  ['portalsignatureonfile', true, () => ({ portalSignatureOnFile: true })],
  ['portalsignatureonfile', false, () => ({ portalSignatureOnFile: false })],
  ['portalaccessgiven', 'true', () => ({ portalAccessGiven: true })],
  ['portalaccessgiven', 'false', () => ({})],
  ['medicationhistoryconsentverified', true, () => ({ medicationHistoryConsentVerified: true })],
  ['medicationhistoryconsentverified', false, () => ({})],
  ['localpatientid', undefined, () => ({})],
];

const FROM_OTHER_ROWS = ['patientid', 'firstappointment', 'lastappointment', 'privacyinformationverified'];

/** The record of the document: each of its fields, the arrays that must be asked for aside. */
const DOCUMENTED =
  'homeboundyn donotcallyn emailexistsyn hasmobileyn portalsignatureonfile medicationhistoryconsentverified guarantoraddresssameaspatient portaltermsonfile privacyinformationverified portalaccessgiven industrycode occupationcode employerid guarantoremployerid race assignedsexatbirth altfirstname ethnicitycode language6392code localpatientid deceaseddate firstappointment primaryproviderid genderidentityother preferredpronouns lastappointment primarydepartmentid status lastemail racecode sexualorientation genderidentity sexualorientationother patientid firstname middlename lastname suffix preferredname address1 address2 city state zip countrycode countrycode3166 homephone mobilephone workphone email ssn racename sex dob maritalstatus contactpreference contactname contactrelationship contacthomephone contactmobilephone nextkinname nextkinrelationship nextkinphone guardianfirstname guardianmiddlename guardianlastname guardiansuffix guarantorfirstname guarantormiddlename guarantorlastname guarantorsuffix guarantoraddress1 guarantoraddress2 guarantorcity guarantorstate guarantorzip guarantorcountrycode guarantorcountrycode3166 guarantordob guarantorssn guarantoremail guarantorphone guarantorrelationshiptopatient registrationdate departmentid maritalstatusname employerphone employername employeraddress employercity'.split(
    ' ',
  );

describe('the patient record', () => {
  it('has a case here for every field of the document', () => {
    const tried = [...SAME_TEXT, ...PHONES, ...DAYS, ...WRITTEN].map(([field]) => field);
    expect(new Set([...tried, ...FROM_OTHER_ROWS])).toEqual(new Set(DOCUMENTED));
  });

  it.each(SAME_TEXT)('shows %s as it stands', async (field, column) => {
    const value = `Ünique ${field}`;
    expect(await readRecord({ [column]: value })).toMatchObject({ [field]: value });
    expect(await readRecord({ [column]: null })).not.toHaveProperty(field);
  });

  it.each(PHONES)('shows %s as ten digits', async (field, column) => {
    expect(await readRecord({ [column]: '+19105550123' })).toMatchObject({ [field]: '9105550123' });
    expect(await readRecord({ [column]: null })).not.toHaveProperty(field);
  });

  it.each(DAYS)('shows %s as mm/dd/yyyy', async (field, column) => {
    expect(await readRecord({ [column]: new Date('1948-02-09') })).toMatchObject({ [field]: '02/09/1948' });
    expect(await readRecord({ [column]: null })).not.toHaveProperty(field);
  });

  it.each(WRITTEN)('shows %s as %j', async (field, wire, row) => {
    const record = await readRecord(row());
    expect(record[field]).toEqual(typeof wire === 'function' ? wire() : wire);
    if (wire === undefined) expect(record).not.toHaveProperty(field);
  });

  it('leaves out whatever has no value', async () => {
    const { organizationId } = await practiceClient(test);
    const bare = await practiceClient(test, { organizationId });
    const { id } = await test.database.prisma.patient.create({ data: { organizationId } });
    expect(await shownAgain(id, bare)).toEqual({
      patientid: String(id),
      status: 'active',
      emailexistsyn: null,
      hasmobileyn: null,
      medicationhistoryconsentverified: null,
      emailexists: null,
      hasmobile: null,
      donotcallyn: false,
      donotcall: false,
      consenttotext: true,
      homeboundyn: false,
      homebound: false,
      lastupdated: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/),
      portalaccessgiven: 'false',
      privacyinformationverified: 'false',
    });
  });
});
