import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createAppointmentType, createOffice, createOrganization, createPatient } from '../support/factories.ts';
import { admin, createOperator, createPracticeFiles } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
const { prisma } = test.database;
const { folder, createFile } = await createPracticeFiles();

const Plan = z.array(
  z.object({ kind: z.string(), action: z.string(), id: z.int().nullable(), name: z.string(), changes: z.array(z.unknown()) }),
);
const Made = z.array(z.object({ kind: z.string(), action: z.string(), id: z.int(), name: z.string(), secret: z.string().exactOptional() }));
const Applied = z.object({ practices: z.tuple([z.object({ practice_id: z.int(), plan: Plan, made: Made })]) });
const Planned = z.object({ practices: z.array(z.object({ practice_id: z.int().nullable(), plan: Plan })) });

const apply = async (file: string, ...more: string[]) => (await operator.ask(Applied, `apply ${file} --yes`, ...more)).practices[0];
const planFile = async (file: string) => (await operator.ask(Planned, `apply ${file} --plan`)).practices.flatMap(({ plan }) => plan);

const key = (name: string) => `${name}-${process.pid}-${Date.now().toString(36)}`;

/** A practice of three offices, with an item of every kind that needs nothing from outside. */
const writePractice = (name: string) => `key: ${name}
name: Three Rivers
time_zone: America/Denver
phone: 303-555-0100
zip: 02134
colour: "#0f6b5c"
policies: { second_factor: required_for_admins, event_days: 120 }
provider_groups:
  - name: Three Rivers Group
offices:
  - name: North
    provider_group: Three Rivers Group
    city: Boulder
    state: Colorado
    one_year_contract_max: 2500
  - name: South
    key: south
    time_zone: America/Phoenix
  - name: Hospital
    is_hospital_department: true
locations:
  - { name: Room 1, office: North }
  - { name: Room 1, office: south }
users:
  - email: Ada.${name}@clinic.example
    first_name: Ada
    last_name: Quinn
    role: admin
    phone: 303-555-0142
    review_urls: [{ url: "https://reviews.example.com/ada" }]
waiting_rooms:
  - { name: Lobby, office: North }
  - { name: Dr. Quinn, user: ada.${name}@clinic.example }
providers:
  - first_name: Bo
    last_name: Ek
    supervisor: Ada Quinn
    offices: [South, North]
    hours:
      - { office: South, weekdays: [mon, Tuesday], from: "9:00", until: "12:00" }
      - { office: south, weekdays: [wed], from: "09:00", until: "12:00", bookable_by: [patient, staff, apps] }
      - { office: North, weekdays: [thu], from: "13:00", until: "24:00", appointment_types: [Visit], ends_on: 2031-12-31 }
  - first_name: Ada
    last_name: Quinn
    npi: 1234567893
    user: ada.${name}@clinic.example
    offices: [North]
    provider_groups: [Three Rivers Group]
appointment_types:
  - { name: Visit, duration_minutes: 20, buffer_after: 10, latest_days: 60, modality: video, bookable_by: [patient, staff, staff] }
hours_exceptions:
  - { from: 2031-07-04, reason: Independence Day }
  - { from: "2031-03-03T12:00", until: "2031-03-03T18:00", provider: Bo Ek, reason: Dentist }
  - { from: 2031-03-08, until: 2031-03-09, provider: Bo Ek, office: south, available: true }
items:
  - { name: Weight, unit: lb, danger_max: 400.5 }
programs:
  - name: Heart at home
    steps: [Consent, Device]
    care_team: [{ user: "ada.${name}@clinic.example", text_alerts: true }]
surveys:
  - name: Daily
    questions:
      - { key: weight, text: Your weight, kind: number, item: Weight }
      - { key: pain, text: Pain, kind: scale, min: 0, max: 10, min_label: none, urgent_from: 8 }
templates:
  - category: Check_In
    name: Daily
    body: "{{first name}}: {{url}}"
    variants: [{ language: es, body: "Hola: {{url}}" }]
    active: true
employers:
  - { name: Mill Street Bakery, phone: 303-555-0144 }
insurance_packages:
  - { number: 2014, plan_name: Evergreen PPO, type: Commercial, irc_name: Evergreen Mutual }
  - { number: 1001, plan_name: Medicare Part B }
custom_fields:
  - { name: Heard from, type: select, options: [A friend, A doctor] }
numbers:
  - { number: 303-555-0160, kind: plain }
clients:
  - { name: Front desk, scopes: [integration.read, integration.write] }
webhook_endpoints:
  - { url: "https://93.184.216.34/hook", types: [patient.updated], ed25519: true }
identity_provider:
  issuer: https://93.184.216.34/sso
  client_id: triptych
  group_roles: [{ group: clinicians, role: provider }]
  email_domains: [${name}.example]
  proven_domains: [${name}.example]
`;

describe('a practice of three offices', () => {
  const name = key('rivers');

  it('is made of a file, works, and is as the file says when it is applied again and when it was exported', async () => {
    const file = await createFile(writePractice(name));
    const { practice_id: organizationId, made } = await apply(file);
    expect(made.filter(({ kind }) => kind === 'offices').map((one) => one.name)).toEqual(['North', 'South', 'Hospital']);
    const practice = await prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
    expect(practice).toMatchObject({ key: name, phone: '+13035550100', zip: '02134', timeZone: 'America/Denver' });
    const [north, south] = await prisma.office.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect([north?.state, north?.timeZone, south?.timeZone]).toEqual(['CO', 'America/Denver', 'America/Phoenix']);
    const providers = await prisma.provider.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect(providers[0]).toMatchObject({ firstName: 'Bo', homeOfficeId: south?.id, supervisingProviderId: providers[1]?.id });
    const hours = await prisma.availability.findMany({ where: { organizationId }, orderBy: { weekday: 'asc' } });
    expect(hours.map((row) => [row.weekday, row.officeId, row.fromMinute, row.untilMinute])).toEqual([
      ...[1, 2, 3].map((day) => [day, south?.id, 540, 720]),
      [4, north?.id, 780, 1440],
    ]);
    expect(hours[3]).toMatchObject({ typeIds: [made.find(({ kind }) => kind === 'appointmentTypes')?.id], capacity: null });
    // The user was invited, and nobody else knows a password.
    expect(await prisma.mailMessage.count({ where: { organizationId } })).toBe(1);
    const [, id, secret] = /^client_id (\S+) client_secret (\S+)$/.exec(made.find(({ kind }) => kind === 'clients')?.secret ?? '') ?? [];
    const token = test.http
      .post('/oauth2/v1/token')
      .type('form')
      .auth(String(id), String(secret))
      .send({ grant_type: 'client_credentials' });
    expect((await token).status).toBe(200);

    expect(await operator.say(`apply ${file}`)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to change.') });
    const exported = await operator.say(`export-practice --practice ${name}`);
    expect(exported).toMatchObject({ code: 0, err: '' });
    expect(exported.out).not.toContain(String(secret));
    expect(await planFile(await createFile(exported.out))).toEqual([]);
    expect((await operator.say(`export-practice --practice ${organizationId}`)).out).toBe(exported.out);
  });

  it('keeps what a file leaves out, shows each field before and after, and keeps references when an item is renamed', async () => {
    const file = await createFile(`key: ${name}
phone: null
offices:
  - { key: south, name: South Bank }
  - { name: North, city: Longmont }
providers:
  - { first_name: Bo, last_name: Ek, offices: [South Bank], specialty: Cardiology }
`);
    const said = await operator.say(`apply ${file} --yes`);
    expect(said.code).toBe(0);
    expect(said.err).toContain('  ~ office "South"\n      name: "South" → "South Bank"\n');
    expect(said.err).toContain('  ~ practice\n      phone: "+13035550100" → -\n');
    expect(said.err).toContain('  ~ provider "Bo Ek"\n      offices: ["North","South"] → ["South"]\n      specialty: - → "Cardiology"\n');
    expect(said.err).toContain('0 to add, 4 to change, 0 to remove.');
    expect(await planFile(file)).toEqual([]);
  });

  it('replaces the hours of a provider, keeps those that are the same, and refuses hours that end before they begin', async () => {
    const { id: organizationId } = await prisma.organization.findUniqueOrThrow({ where: { key: name } });
    const monday = { where: { organizationId, weekday: 1 }, select: { id: true } };
    const kept = await prisma.availability.findFirst(monday);
    const hours = (until: string) => `key: ${name}
providers:
  - first_name: Bo
    last_name: Ek
    hours:
      - { office: south, weekdays: [mon, fri], from: "09:00", until: "${until}" }
hours_exceptions:
  - { from: 2031-07-04, remove: true }
insurance_packages:
  - { plan_name: Medicare Part B, remove: true }
  - { plan_name: Evergreen PPO, type: PPO }
`;
    const wrong = await operator.say(`apply ${await createFile(hours('08:00'))} --yes`);
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining(':6: providers[0].hours[0].until: must be after from') });
    await apply(await createFile(hours('12:00')));
    expect(await prisma.availability.findFirst(monday)).toEqual(kept);
    expect(await prisma.availability.count({ where: { organizationId } })).toBe(2);
    expect(await prisma.availabilityException.count({ where: { organizationId } })).toBe(2);
    expect(await planFile(await createFile(hours('12:00')))).toEqual([]);
  });

  it('removes what nothing refers to, and refuses else by naming what does', async () => {
    const { id: organizationId } = await prisma.organization.findUniqueOrThrow({ where: { key: name } });
    const refused = await operator.say(`apply ${await createFile(`key: ${name}\noffices:\n  - name: North\n    remove: true\n`)} --yes`);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /yaml:3: offices\[0\]: The office "North" is not removed\. These refer to it: location "Room 1 in North", waiting room "Lobby in North", provider "Ada Quinn"\.\n$/,
    );
    const { id: officeId } = await prisma.office.findFirstOrThrow({ where: { organizationId, name: 'Hospital' } });
    const patient = await createPatient(prisma, { organizationId, primaryOfficeId: officeId });
    const file = await createFile(`key: ${name}\noffices:\n  - { name: Hospital, remove: true }\n`);
    expect((await operator.say(`apply ${file} --yes`)).err).toContain(
      '"Hospital" is not removed. These refer to it: 1 patient. Set active: false instead.',
    );
    await prisma.patient.update({ where: { organizationId_id: { organizationId, id: patient.id } }, data: { primaryOfficeId: null } });
    const { made } = await apply(file);
    expect(made).toMatchObject([{ kind: 'offices', action: 'remove', id: officeId }]);
    expect(await planFile(file)).toEqual([]);
  });
});

describe('a file', () => {
  it.each([
    ['a member that it does not have', 'key: x\nname: A\nofices: []\n', ':3: ofices: is unknown here'],
    ["a member under the domain's name", 'key: x\ntimeZone: UTC\n', ':2: timeZone: is unknown here'],
    ['a wrong value', 'key: x\noffices:\n  - name: North\n    state: Narnia\n', ':4: offices[0].state: must be a state or territory'],
    [
      'a wrong value of a question',
      'key: x\nsurveys:\n  - name: A\n    questions:\n      - { key: a, text: B, kind: yes_no, urgent_if: maybe }\n',
      ':5: surveys[0].questions[0].urgent_if: must be yes or no',
    ],
    ['no key', 'name: A\n', ':1: needs a key'],
    [
      'a name that is nobody',
      'key: x\nname: A\ntime_zone: UTC\nlocations:\n  - name: Room\n    office: Nowhere\n',
      ':6: locations[0].office: There is no "Nowhere" among the offices.',
    ],
    [
      'too little for a new item',
      'key: x\nname: A\ntime_zone: UTC\nproviders:\n  - first_name: Bo\n',
      ':5: providers[0].last_name: is missing. A new provider needs it.',
    ],
    ['what is not valid YAML', 'key: x\noffices:\n  - name: [\n', 'is not valid YAML'],
    ['several documents', 'key: x\n---\nkey: y\n', ':2: contains several YAML documents. Use a file for each.\n'],
    ['an alias of nothing', 'key: *x\n', 'is not valid YAML: Unresolved alias'],
    ['a member twice', 'key: x\nkey: y\n', ':2: is not valid YAML'],
  ])('with %s is refused with file, line and path', async (_, content, message) => {
    const file = await createFile(content);
    const said = await operator.say(`apply ${file} --yes`);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain(`${file}`);
    expect(said.err).toContain(message);
  });

  it('names a failure of the rules at its place, and leaves nothing of the practice', async () => {
    const name = key('half');
    const file = await createFile(
      `key: ${name}\nname: A\ntime_zone: UTC\noffices:\n  - name: North\nitems:\n  - name: Weight\n    min_target: 9\n    max_target: 1\n`,
    );
    const said = await operator.say(`apply ${file} --yes`);
    expect(said.code).toBe(1);
    expect(said.err).toMatch(/:8: items\[0\]\.min_target: /);
    expect(await prisma.organization.count({ where: { key: name } })).toBe(0);
  });

  it('is applied with an answer or --yes alone', async () => {
    const name = key('asked');
    const file = await createFile(`key: ${name}\nname: A\ntime_zone: UTC\n`);
    const silent = await operator.say(`apply ${file}`);
    expect(silent).toMatchObject({ code: 2, err: expect.stringContaining('Nothing was changed. Add --yes') });
    expect(await operator.say(`apply ${file} --plan`)).toMatchObject({ code: 0, out: expect.stringContaining('1 to add') });
    expect(await prisma.organization.count({ where: { key: name } })).toBe(0);
  });

  it('gives its secrets to a file that only its owner may read, and to none that is there', async () => {
    const [name, secrets] = [key('secret'), join(folder, 'secrets.txt')];
    const file = await createFile(`key: ${name}\nname: A\ntime_zone: UTC\nclients:\n  - { name: Desk, scopes: [integration.read] }\n`);
    const said = await operator.say(`apply ${file} --yes --secrets-to ${secrets}`);
    expect(said.code).toBe(0);
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    const content = await readFile(secrets, 'utf8');
    expect(content).toMatch(/clients "Desk": client_id \S+ client_secret \S+\n$/);
    expect(said.out + said.err).not.toContain(content.split('client_secret ')[1]?.trim());
    const again = await operator.say(`apply ${await createFile(`key: ${name}\nname: B\n`)} --yes --secrets-to ${secrets}`);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });
    expect(await prisma.organization.count({ where: { key: name, name: 'B' } })).toBe(0);
  });

  it('may come from standard input, as into a container', async () => {
    const name = key('stdin');
    const said = await admin(operator.env, ['apply', '-', '--yes'], `key: ${name}\nname: A\ntime_zone: UTC\n`, test.database);
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining('standard input:\n  added practice (') });
    const wrong = await admin(operator.env, ['apply', '-', '--yes'], `key: ${name}\nnam: A\n`, test.database);
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('standard input:2: nam: is unknown here') });
  });

  it('of several is one practice each, and two of one practice are refused', async () => {
    const names = [key('one'), key('two')];
    const all = await Promise.all(names.map((name) => createFile(`key: ${name}\nname: ${name}\ntime_zone: UTC\n`)));
    const said = await admin(operator.env, ['apply', ...all, '--yes', '--json'], '', test.database);
    expect(Planned.parse(JSON.parse(said.out)).practices).toHaveLength(2);
    expect(await prisma.organization.count({ where: { key: { in: names } } })).toBe(2);
    const twice = await admin(operator.env, ['apply', all[0] ?? '', all[0] ?? '', '--plan'], '', test.database);
    expect(twice).toMatchObject({ code: 1, err: expect.stringContaining('key: is also in another file.') });
  });

  it('changes a practice by its id, which gets the key, and no other', async () => {
    const [practice, other] = [await createOrganization(prisma), await createOrganization(prisma, { key: key('other') })];
    const name = key('adopted');
    await apply(await createFile(`practiceid: ${practice.id}\nkey: ${name}\nname: Adopted\n`));
    expect(await prisma.organization.findUnique({ where: { key: name } })).toMatchObject({ id: practice.id, name: 'Adopted' });
    const foreign = await operator.say(`apply ${await createFile(`practiceid: ${practice.id}\nkey: ${other.key}\n`)} --yes`);
    expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining(`:2: key: is that of practice ${other.id}.`) });
  });

  it('says which of two items of one name it means by the id, or by a key from then on', async () => {
    const { id: organizationId } = await createOrganization(prisma);
    const [, second] = [
      await createOffice(prisma, { organizationId, name: 'Twin' }),
      await createOffice(prisma, { organizationId, name: 'Twin' }),
    ];
    const unclear = await operator.say(
      `apply ${await createFile(`practiceid: ${organizationId}\noffices:\n  - { name: Twin, city: Ada }\n`)} --yes`,
    );
    expect(unclear.err).toContain('Several are called "Twin". Name one by its id:');
    await apply(await createFile(`practiceid: ${organizationId}\noffices:\n  - { id: ${second.id}, key: b, city: Ada }\n`));
    await apply(await createFile(`practiceid: ${organizationId}\noffices:\n  - { key: b, city: Ames }\n`));
    expect(await prisma.office.findMany({ where: { organizationId, city: 'Ames' } })).toMatchObject([{ id: second.id }]);
    expect(await planFile(await createFile((await operator.say(`export-practice --practice ${organizationId}`)).out))).toEqual([]);
  });

  it('tells other practices of a change of a type that they use', async () => {
    const [owner, user] = [await createOrganization(prisma), await createOrganization(prisma)];
    const type = await createAppointmentType(prisma, { organizationId: owner.id, name: 'Shared', isGlobal: true });
    await prisma.appointment.create({
      data: { organizationId: user.id, typeOrganizationId: owner.id, typeId: type.id, timeZone: 'UTC', durationMinutes: 30 },
    });
    await apply(await createFile(`practiceid: ${owner.id}\nappointment_types:\n  - { name: Shared, description: For all }\n`));
    const events = await prisma.event.findMany({
      where: { organizationId: { in: [owner.id, user.id] }, name: 'appointment_type.updated' },
    });
    expect(events.map(({ organizationId }) => organizationId).toSorted((a, b) => a - b)).toEqual([owner.id, user.id]);
  });
});
