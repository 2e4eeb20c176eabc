import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOffice, createOrganization, createPatient, createProvider } from '../support/factories.ts';
import { Made, operatorOf } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());
const Rows = z.array(Row);

const test = await sharedTestApp();
const operator = operatorOf(test);
const practice = (await createOrganization(test.database.prisma)).id;
const other = (await createOrganization(test.database.prisma)).id;

const db = () => test.database.prisma;
const eventsOf = async (subjectType: string, subjectId: number) =>
  (await db().event.findMany({ where: { organizationId: practice, subjectType, subjectId }, orderBy: { id: 'asc' } })).map(
    ({ name, changed }) => ({ name, changed }),
  );

describe('provider groups', () => {
  it('take in offices, whose registrations follow, and providers, who may belong to several', async () => {
    const office = (await createOffice(db(), { organizationId: practice })).id;
    const provider = (await createProvider(db(), { organizationId: practice })).id;
    const patient = (await createPatient(db(), { organizationId: practice })).id;
    await db().patientRegistration.create({
      data: { organizationId: practice, patientId: patient, officeId: office, registeredOn: new Date('2026-01-01') },
    });
    const make = async (name: string) => (await operator.ask(Made, `provider-groups create --organization ${practice} --name`, name)).id;
    const [first, second] = [await make('First'), await make('Second')];
    const assign = (group: number) =>
      `provider-groups assign ${group} --organization ${practice} --office ${office} --provider ${provider}`;
    await operator.ask(Rows, assign(first));
    const rows = await operator.ask(Rows, assign(second));
    expect(rows).toMatchObject([
      { id: first, name: 'First', office_ids: [], provider_ids: [provider] },
      { id: second, name: 'Second', office_ids: [office], provider_ids: [provider] },
    ]);
    await operator.ask(Rows, assign(second));
    expect(await operator.ask(Rows, `provider-groups list --organization ${practice}`)).toEqual(rows);
    expect(await eventsOf('office', office)).toHaveLength(2);
    expect(await eventsOf('provider', provider)).toHaveLength(2);
    const [registration] = await db().patientRegistration.findMany({ where: { organizationId: practice, patientId: patient } });
    expect(registration?.providerGroupId).toBe(second);
  });

  it('have one name each, and belong to one practice', async () => {
    const made = await operator.ask(Made, `provider-groups create --organization ${practice} --name Only`);
    expect(await operator.say(`provider-groups create --organization ${practice} --name Only`)).toMatchObject({ code: 1 });
    await operator.ask(Made, `provider-groups create --organization ${other} --name Only`);
    const foreign = (await createOffice(db(), { organizationId: other })).id;
    const stolen = `provider-groups assign ${made.id} --organization`;
    expect(await operator.say(`${stolen} ${practice} --office ${foreign}`)).toEqual({
      code: 1,
      out: '',
      err: 'There is no such office.\n',
    });
    expect(await operator.say(`${stolen} ${other} --office ${foreign}`)).toEqual({
      code: 1,
      out: '',
      err: 'There is no such provider group.\n',
    });
    expect(await operator.say(`${stolen} ${practice}`)).toMatchObject({ code: 2 });
  });
});

describe('offices set', () => {
  it('changes what the practice API shows of a department, only what is given', async () => {
    const office = (await createOffice(db(), { organizationId: practice, city: 'Boulder' })).id;
    const line = `offices set ${office} --organization ${practice}`;
    const changed = await operator.ask(
      Row,
      `${line} --hidden-in-portal yes --hospital yes --service no --clinicals DOCUMENTSONLY --credit-cards VI,MC --ecommerce-credit-cards VI --one-year-contract-max 2500 --single-appointment-contract-max 250.50 --place-of-service 11 --place-of-service-name OFFICE --place-of-service-facility yes --latitude 40.01499 --longitude -105.27055 --chart-sharing-group 3 --medication-history-consent yes --fax 3035550102 --time-zone america/denver --patient-department-name Main`,
    );
    expect(changed).toMatchObject({
      time_zone: 'America/Denver',
      city: 'Boulder',
      patient_department_name: 'Main',
      hidden_in_portal: true,
      hospital: true,
      service: false,
      clinicals: 'DOCUMENTSONLY',
      credit_cards: ['VI', 'MC'],
      ecommerce_credit_cards: ['VI'],
      one_year_contract_max: '2500.00',
      single_appointment_contract_max: '250.50',
      place_of_service: '11',
      place_of_service_facility: true,
      latitude: '40.01499',
      longitude: '-105.27055',
      chart_sharing_group: 3,
      medication_history_consent: true,
    });
    // The same again is no change, whatever the spelling of an amount.
    await operator.ask(Row, `${line} --one-year-contract-max 2500.00 --credit-cards VI,MC`);
    expect(await eventsOf('office', office)).toHaveLength(1);
    const cleared = await operator.ask(Row, `${line} --credit-cards none --one-year-contract-max`, '', '--city', '');
    expect(cleared).toMatchObject({ credit_cards: [], one_year_contract_max: null, city: null, hospital: true });
    expect((await eventsOf('office', office))[1]).toEqual({
      name: 'office.updated',
      changed: expect.arrayContaining(['city', 'creditCardTypes', 'oneYearContractMax']),
    });
  });

  it('refuses another practice’s office, and what is written wrongly', async () => {
    const office = (await createOffice(db(), { organizationId: other })).id;
    expect(await operator.say(`offices set ${office} --organization ${practice} --city X`)).toEqual({
      code: 1,
      out: '',
      err: 'There is no such office.\n',
    });
    for (const wrong of [
      '--credit-cards XX',
      '--latitude 91',
      '--clinicals MAYBE',
      '--one-year-contract-max 1.234',
      '--hospital maybe',
      '',
    ])
      expect(await operator.say(`offices set ${office} --organization ${other} ${wrong}`.trim()), wrong).toMatchObject({
        code: 2,
        out: '',
      });
  });
});

describe('providers set', () => {
  it('changes what the practice API shows of a provider, only what is given', async () => {
    const offices = [await createOffice(db(), { organizationId: practice }), await createOffice(db(), { organizationId: practice })];
    const [first = 0, second = 0] = offices.map(({ id }) => id);
    const chief = (await createProvider(db(), { organizationId: practice, lastName: 'Chief' })).id;
    const provider = (await createProvider(db(), { organizationId: practice, specialty: 'Cardiology' })).id;
    const line = `providers set ${provider} --organization ${practice}`;
    expect(
      await operator.ask(
        Row,
        `${line} --type MD --ansi-specialty-code 207Q00000X --supervisor ${chief} --office ${second},${first} --billable no --accepting-new-patients no --hidden-in-portal yes --sex F --other-provider ${chief} --federal-id-number 12-3456789 --npi 1679576722 --direct-address ada@direct.example`,
      ),
    ).toMatchObject({
      type: 'MD',
      specialty: 'Cardiology',
      supervisor_id: chief,
      home_office_id: second,
      office_ids: [first, second],
      billable: false,
      hidden_in_portal: true,
      other_provider_ids: [chief],
      npi: '1679576722',
    });
    await operator.ask(Row, `${line} --office ${first},${second} --npi 1679576722`);
    expect(await eventsOf('provider', provider)).toHaveLength(1);
    expect(await operator.ask(Row, `${line} --office ${first} --supervisor`, '')).toMatchObject({
      home_office_id: first,
      office_ids: [first],
      supervisor_id: null,
    });
  });

  it('refuses another practice’s provider, office or supervisor, itself as supervisor, and an NPI that is taken', async () => {
    const [mine, second] = [
      (await createProvider(db(), { organizationId: practice })).id,
      (await createProvider(db(), { organizationId: practice, npi: '1245319599' })).id,
    ];
    const [theirs, place] = [
      (await createProvider(db(), { organizationId: other })).id,
      (await createOffice(db(), { organizationId: other })).id,
    ];
    const refused = async (line: string) => (await operator.say(`providers set ${line}`)).err;
    expect(await refused(`${theirs} --organization ${practice} --type MD`)).toBe('There is no such provider.\n');
    expect(await refused(`${mine} --organization ${practice} --supervisor ${theirs}`)).toBe('There is no such provider.\n');
    expect(await refused(`${mine} --organization ${practice} --office ${place}`)).toBe('There is no such office.\n');
    expect(await refused(`${mine} --organization ${practice} --supervisor ${mine}`)).toContain('somebody else');
    expect(await refused(`${mine} --organization ${practice} --npi 1245319599`)).toContain(`Provider ${second} has this NPI already.`);
    expect(await operator.say(`providers set ${mine} --organization ${practice} --npi 1245319590`)).toMatchObject({ code: 2 });
    expect(await eventsOf('provider', mine)).toEqual([]);
  });
});

describe('organizations set', () => {
  it('sets what practiceinfo shows, and the policies of registration', async () => {
    const row = await operator.ask(
      Row,
      `organizations set ${other} --go-live-date 2026-12-01 --experience-mode STANDARD --coordinator-sender yes --coordinator-receiver yes --registration strict --match-on-registration yes --medication-history yes --enterprise yes`,
    );
    expect(row).toMatchObject({
      go_live_date: '2026-12-01',
      experience_mode: 'STANDARD',
      coordinator_sender: true,
      coordinator_receiver: true,
      registration: 'strict',
      match_on_registration: true,
      medication_history: true,
      enterprise: true,
    });
  });
});
