import { z } from 'zod';
import { updateProvider } from '../../domain/practices/providers/provider-changes.ts';
import { createProvider, isProviderIdentifier, listProviders, removeProvider } from '../../domain/practices/providers/providers.ts';
import { leaveRoomsOfUser } from '../../domain/telehealth/presence/presence.ts';
import { addReviewUrl, removeReviewUrl } from '../../domain/telehealth/visits/review-urls.ts';
import { setAccountActive, updateUserAccount } from '../../domain/users/user-accounts.ts';
import { listPeople, removeUser } from '../../domain/users/users.ts';
import { active, clearable, email, field, phone, reference, text, url, whole } from '../fields.ts';
import { kind, type Work } from '../kind.ts';
import { toStored } from '../stored.ts';
import { addHours, byDay, readHours, setHours, weeklyHours } from './hours.ts';

const REVIEW_URL = z.strictObject({
  url: url().describe('An address that begins with https://'),
  title: text(100).nullable().default(null).describe('Name shown in lists'),
});

const USER = z.strictObject({
  email: field(email(), 'Email for signing in; unique on the server'),
  firstName: field(text(100), 'First name'),
  lastName: field(text(100), 'Last name'),
  role: field(z.enum(['admin', 'provider', 'staff']), 'Role of the user in the practice'),
  phone: clearable(phone(), 'Telephone number'),
  privacyOfficer: field(z.boolean(), 'Whether the user is notified of each emergency access to a restricted chart'),
  active: active('false: the user cannot sign in'),
  reviewUrls: field(z.array(REVIEW_URL), 'Pages where patients may review the user; texts link to the first'),
});
type User = z.output<typeof USER>;

export const userKind = kind({
  name: 'users',
  one: 'user',
  names: ['email'],
  fixed: { fields: ['email'], instead: 'Add a user with the new email, and set this one to active: false.' },
  table: 'user',
  shape: USER,
  whole: USER.required({ email: true, firstName: true, lastName: true, role: true }),
  read: async ({ tx }) =>
    (await listPeople(tx)).map(({ type, signIn: [signIn], ...row }) =>
      toStored(USER, row, {
        email: (signIn?.email ?? row.email)?.toLowerCase() ?? null,
        role: type,
        reviewUrls: row.reviewUrls.map((one) => ({ url: one.url, title: one.title })),
      }),
    ),
  async create(work, { role: type, phone: number, active: isActive = true, reviewUrls = [], ...input }) {
    const { id } = await work.services.makeUser(work.tx, { ...input, type, ...(number ? { phone: number } : {}) });
    await setReviewUrls(work, id, reviewUrls);
    if (!isActive) await setAccountActive(work.tx, id, false);
    return { id };
  },
  async change(work, id, { active: isActive, reviewUrls, email: _fixed, ...input }) {
    const { tx } = work;
    await updateUserAccount(tx, id, input);
    if (reviewUrls) await setReviewUrls(work, id, reviewUrls);
    if (isActive === undefined) return;
    await setAccountActive(tx, id, isActive, true);
    if (!isActive) await leaveRoomsOfUser(tx, id);
  },
  async remove({ tx }, id) {
    await setAccountActive(tx, id, false);
    await removeUser(tx, id);
  },
});

/** Those that are to stay keep their order, and all others go. */
async function setReviewUrls({ tx }: Work, userId: number, wanted: NonNullable<User['reviewUrls']>): Promise<void> {
  const stored = await tx.prisma.userReviewUrl.findMany({ where: { ...tx.practice, userId }, orderBy: { id: 'asc' } });
  const keep = stored.findIndex((one, index) => one.url !== wanted[index]?.url || one.title !== wanted[index].title);
  const same = keep < 0 ? stored.length : keep;
  for (const { id } of stored.slice(same)) await removeReviewUrl(tx, id);
  for (const one of wanted.slice(same)) await addReviewUrl(tx, { userId, url: one.url, title: one.title ?? undefined });
}

const line = (description: string) => clearable(text(200), description);
const flag = (description: string) => field(z.boolean(), description);
const ids = (description: string) => field(z.array(whole(1, 2_147_483_647)), description);

const PROVIDER = z.strictObject({
  firstName: field(text(100), 'First name'),
  lastName: field(text(100), 'Last name'),
  npi: clearable(
    z.string().refine(isProviderIdentifier, 'must be ten digits with a valid check digit'),
    'National Provider Identifier; its check digit is verified',
  ),
  user: clearable(reference(), 'The user who is this provider, by email'),
  offices: field(z.array(reference()), 'Offices where the provider sees patients; by default, the first is the home office'),
  homeOffice: clearable(reference(), 'Home office'),
  providerGroups: field(z.array(reference()), 'Provider groups that bill for the provider'),
  supervisor: clearable(reference(), 'Supervising provider, by first and last name'),
  displayName: line('Name shown to patients'),
  schedulingName: line('Name shown in schedules'),
  username: line('Business name'),
  entityType: field(z.enum(['Person', 'Non-Person']), 'A person, or a room or machine with a schedule'),
  providerTypeId: line('Credential, such as MD, NP or RN'),
  providerTypeName: line('Credential in full, such as Doctor of Medicine'),
  specialty: line('Specialty, such as Cardiology'),
  specialtyId: clearable(whole(1, 2_147_483_647), 'Number of the specialty'),
  ansiSpecialtyCode: line('Taxonomy code, such as 207Q00000X'),
  ansiNameCode: line('Name of that code'),
  federalIdNumber: line('Tax number; the practice API shows it on request'),
  sex: clearable(z.enum(['M', 'F']), 'M or F'),
  personalPronouns: line('Pronouns, such as she/her'),
  directAddress: clearable(email(), 'Address for Direct messages'),
  scheduleResourceType: line('Kind of resource, such as Person or Equipment'),
  billable: flag('Whether the provider bills'),
  acceptingNewPatients: flag('Whether the provider accepts new patients'),
  createEncounterOnCheckIn: flag('Whether a check-in creates an encounter'),
  hiddenInPortal: flag('Whether the provider is hidden in lists for patients'),
  hours: weeklyHours(),
  otherProviderIds: ids('Other ids of the same provider'),
  createEncounterProviderIds: ids('Ids of providers for whom a check-in creates an encounter'),
  active: active('false: hidden in lists'),
});
type Provider = z.output<typeof PROVIDER>;

export const providerKind = kind({
  name: 'providers',
  one: 'provider',
  names: ['firstName', 'lastName'],
  references: {
    user: 'users',
    offices: 'offices',
    homeOffice: 'offices',
    providerGroups: 'providerGroups',
    supervisor: 'providers',
    hours: { office: 'offices', appointmentTypes: 'appointmentTypes' },
  },
  unordered: ['offices', 'providerGroups'],
  compared: { hours: byDay },
  table: 'provider',
  shape: PROVIDER,
  whole: PROVIDER.required({ firstName: true, lastName: true }),
  async read(work) {
    const hours = await readHours(work);
    return (await listProviders(work.tx)).map((row) =>
      toStored(PROVIDER, row, {
        user: row.userId,
        offices: row.offices.map(({ officeId }) => officeId),
        homeOffice: row.homeOfficeId,
        providerGroups: row.providerGroupIds,
        supervisor: row.supervisingProviderId,
        hours: hours.get(row.id) ?? [],
      }),
    );
  },
  comparable: async (_work, fields) => {
    const [first] = Array.isArray(fields.offices) ? fields.offices : [];
    return first === undefined || fields.homeOffice !== undefined ? fields : { ...fields, homeOffice: first };
  },
  async create(work, { hours = [], ...item }) {
    const { firstName, lastName } = item;
    const { id } = await createProvider(work.tx, { firstName, lastName });
    await updateProvider(work.tx, id, toChanges(work, item));
    await addHours(work, id, hours);
    return { id };
  },
  async change(work, id, { hours, ...changes }) {
    await updateProvider(work.tx, id, toChanges(work, changes));
    if (hours) await setHours(work, id, hours);
  },
  remove: ({ tx }, id) => removeProvider(tx, id),
});

function toChanges({ findId }: Work, { user, offices, homeOffice, providerGroups, supervisor, ...fields }: Omit<Provider, 'hours'>) {
  const idIn = (kindName: string, name: string | null) => (name === null ? null : findId(kindName, name));
  return {
    ...fields,
    ...(user === undefined ? {} : { userId: idIn('users', user) }),
    ...(offices === undefined ? {} : { officeIds: offices.map((name) => findId('offices', name)) }),
    ...(homeOffice === undefined ? {} : { homeOfficeId: idIn('offices', homeOffice) }),
    ...(providerGroups === undefined ? {} : { providerGroupIds: providerGroups.map((name) => findId('providerGroups', name)) }),
    ...(supervisor === undefined ? {} : { supervisingProviderId: idIn('providers', supervisor) }),
  };
}
