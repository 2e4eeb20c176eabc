import { expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createProvider } from '../../support/factories.ts';
import { createCharts } from './charts.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);

const { rows, newPatient, read } = createCharts(() => ({ test, clinic }));
const day = (text: string) => new Date(`${text}T00:00:00Z`);

it('shows the status in each department with showallpatientdepartmentstatus', async () => {
  const { organizationId } = clinic;
  const [patient, provider] = [await newPatient({ status: 'prospective' }), await createProvider(rows(), { organizationId })];
  const copy = await newPatient({ enterpriseId: patient.id, status: 'inactive' });
  const [here, there] = [(await createOffice(rows(), { organizationId })).id, (await createOffice(rows(), { organizationId })).id];
  const registration = { organizationId, patientId: patient.id, registeredOn: day('2026-01-05') };
  await rows().patientRegistration.createMany({
    data: [
      { ...registration, officeId: there, localPatientId: copy.id },
      { ...registration, officeId: here, primaryProviderId: provider.id },
    ],
  });
  expect((await read(patient.id, '?showallpatientdepartmentstatus=true')).allpatientstatuses).toEqual([
    { departmentid: here, primaryproviderid: String(provider.id), status: 'prospective' },
    { departmentid: there, status: 'inactive' },
  ]);
});

it('shows custom fields in use with showcustomfields', async () => {
  const { organizationId } = clinic;
  const patient = await newPatient();
  const field = { organizationId };
  const [text, select, old, date] = await rows().customField.createManyAndReturn({
    data: [
      { ...field, name: 'Pharmacy' },
      { ...field, name: 'Heard of us', type: 'select', options: [{ id: 3, value: 'A friend' }] },
      { ...field, name: 'Old', active: false },
      { ...field, name: 'Signed on', type: 'date' },
    ],
    select: { id: true },
  });
  const value = { organizationId, patientId: patient.id };
  await rows().patientCustomField.createMany({
    data: [
      { ...value, customFieldId: select?.id ?? 0, value: 'A friend', optionId: 3 },
      { ...value, customFieldId: text?.id ?? 0, value: 'Main Street' },
      { ...value, customFieldId: old?.id ?? 0, value: 'Gone' },
      { ...value, customFieldId: date?.id ?? 0, value: '2026-02-01' },
    ],
  });
  expect((await read(patient.id, '?showcustomfields=true')).customfields).toEqual([
    { customfieldid: String(text?.id), customfieldvalue: 'Main Street' },
    { customfieldid: String(select?.id), customfieldvalue: 'A friend', optionid: '3' },
    { customfieldid: String(date?.id), customfieldvalue: '02/01/2026' },
  ]);
});

it('shows insurances with showinsurance, the primary one first', async () => {
  const { organizationId } = clinic;
  const patient = await newPatient();
  const [third, first, second] = await rows().insurance.createManyAndReturn({
    data: [
      { organizationId, patientId: patient.id, sequenceNumber: 3 },
      {
        organizationId,
        patientId: patient.id,
        sequenceNumber: 1,
        insurancePackageId: 1001,
        idNumber: 'A1',
        planName: 'Medicare Part B',
        type: 'Medicare Part B',
        ircName: 'Medicare',
        groupNumber: '77',
        relationshipToInsured: 'Spouse',
        relationshipToInsuredId: 2,
        eligibilityStatus: 'Eligible',
        eligibilityReason: 'Electronic',
        eligibilityCheckedOn: day('2026-02-28'),
        issuedOn: day('2020-01-01'),
        expiresOn: day('2027-12-31'),
        policyHolder: { firstName: 'Ann', lastName: 'Lee', birthDate: '1980-02-29', sex: 'F', zip: '27601', other: 'unknown', city: '' },
        insured: {
          firstName: 'Bo',
          middleName: 'C',
          lastName: 'Lee',
          suffix: 'Jr',
          birthDate: '1979-01-01',
          sex: 'M',
          address1: '1 Main St',
          address2: 'Apt 4',
          city: 'Raleigh',
          state: 'NC',
          zip: '27601',
          countryCode: 'USA',
          countryCode3166: 'US',
        },
      },
      { organizationId, patientId: patient.id, sequenceNumber: 2 },
    ],
    select: { id: true },
  });
  expect((await read(patient.id, '?showinsurance=true')).insurances).toEqual([
    {
      insuranceid: String(first?.id),
      insurancepackageid: 1001,
      sequencenumber: 1,
      insuranceidnumber: 'A1',
      insuranceplanname: 'Medicare Part B',
      insurancetype: 'Medicare Part B',
      ircname: 'Medicare',
      policynumber: '77',
      relationshiptoinsured: 'Spouse',
      relationshiptoinsuredid: 2,
      eligibilitystatus: 'Eligible',
      eligibilityreason: 'Electronic',
      eligibilitylastchecked: '02/28/2026',
      issuedate: '01/01/2020',
      expirationdate: '12/31/2027',
      insurancepolicyholder: 'Ann Lee',
      insurancepolicyholderfirstname: 'Ann',
      insurancepolicyholderlastname: 'Lee',
      insurancepolicyholderdob: '02/29/1980',
      insurancepolicyholdersex: 'F',
      insurancepolicyholderzip: '27601',
      insuredfirstname: 'Bo',
      insuredmiddlename: 'C',
      insuredlastname: 'Lee',
      insuredsuffix: 'Jr',
      insureddob: '01/01/1979',
      insuredsex: 'M',
      insuredaddress1: '1 Main St',
      insuredaddress2: 'Apt 4',
      insuredcity: 'Raleigh',
      insuredstate: 'NC',
      insuredzip: '27601',
      insuredcountrycode: 'USA',
      insuredcountryiso3166: 'US',
    },
    { insuranceid: String(second?.id), sequencenumber: 2 },
    { insuranceid: String(third?.id), sequencenumber: 3 },
  ]);
});
