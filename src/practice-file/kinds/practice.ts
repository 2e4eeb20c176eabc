import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { readColour } from '../../domain/practices/look/colours.ts';
import { type Logo, readLogo } from '../../domain/practices/look/logo.ts';
import { findLook, updateLook } from '../../domain/practices/look/look.ts';
import { createOrganization, type OrganizationInput, updateOrganization } from '../../domain/practices/organizations.ts';
import { readLanguageTag } from '../../domain/values/languages.ts';
import { readDay } from '../../domain/values/time/time.ts';
import { active, address, clearable, clock, day, email, field, practiceKey, text, timeZone, whole } from '../fields.ts';
import { kind, type Work } from '../kind.ts';
import { toStored } from '../stored.ts';

const flag = (description: string) => field(z.boolean(), description);

const settings = {
  key: field(practiceKey(), 'Your own permanent name for the practice in the file'),
  name: field(text(200), 'Name of the practice'),
  timeZone: field(timeZone(), 'IANA time zone; existing appointments keep theirs'),
  ...address,
  email: clearable(email(), 'Email of the practice'),
  website: clearable(text(500), 'Address of its web site'),
  languageId: field(
    text(10).refine((written) => readLanguageTag(written) !== null, 'must be a language such as en or es'),
    'Language of its messages, such as en or es',
  ),
  active: active('false: closes the practice; its users, clients and links are refused within a second'),
  registrationPolicy: field(
    z.enum(['open', 'strict']),
    'Required for a new patient: any field (open), or name, birth date, office and contact details (strict)',
  ),
  matchOnRegistration: flag('Whether registration looks for the same patient first'),
  doubleBooking: field(z.enum(['allow', 'refuse']), 'Overlapping appointments of one user'),
  declineFreesSlot: flag('Whether an upcoming visit is cancelled once its patient declines it'),
  declineSendsLink: flag('Whether a patient who declines an upcoming visit gets a link to free times'),
  publicBooking: flag('Whether anybody can book visits at the page /book/<practice>, after a code to their phone or email'),
  waitlistOfferMinutes: field(whole(5, 1_440), 'Minutes for which a freed time is held for a patient on the waitlist'),
  quietHoursStart: field(clock(), 'Start of quiet hours without texts, in the patient’s time zone'),
  quietHoursEnd: field(clock(), 'End of quiet hours'),
  visitChangeNotice: field(z.enum(['none', 'text', 'email']), 'How patients are notified that a visit was moved or cancelled'),
  visitsOfDeceased: field(z.enum(['cancel', 'keep']), 'What happens to upcoming visits when a patient’s death is recorded'),
  minorUntil: field(whole(0, 21), 'Age in years under which messages about a patient go to their guardian, if they have one'),
  inboxEscalationMinutes: field(whole(1, 1_440), 'Minutes until the next member of a call group is notified of an inbox item'),
  defaultAppointmentLength: field(whole(5, 480), 'Default length of appointments in minutes'),
  monitoringReadings: field(z.enum(['device', 'any']), 'Which readings count towards device supply'),
  recordsVisits: flag('Whether video visits may be recorded if everybody in them agrees'),
  monitoringPeriod: field(z.enum(['calendar_month', 'thirty_days']), 'Period of device supply'),
  isEnterprise: flag('Whether it has several financial groups with separate charts'),
  hasClinicals: flag('Whether it keeps clinical records'),
  hasCommunicator: flag('Whether it sends reminders and messages'),
  hasCollector: flag('Whether it uses billing'),
  hasMedicationHistory: flag('Whether it may ask for the medication history of a patient'),
  isCoordinatorSender: flag('Whether it sends referrals and orders to other practices'),
  isCoordinatorReceiver: flag('Whether it receives referrals and orders'),
  goLiveDate: clearable(day(), 'First day of use'),
  experienceMode: clearable(text(50), 'Value shown in the practice API'),
};

const PRACTICE_SHAPE = z.strictObject({
  ...settings,
  colour: clearable(
    z.string().refine((written) => readColour(written) !== null, 'must be a colour with six hexadecimal digits, such as "#1b5cb3"'),
    'Colour of buttons and links on its pages',
  ),
  logo: clearable(text(1_000), 'PNG, JPEG or WebP file next to this file; null for the initials of the practice'),
});
type Practice = z.output<typeof PRACTICE_SHAPE>;

export const practiceKind = kind({
  name: 'practice',
  one: 'practice',
  single: true,
  names: [],
  shape: PRACTICE_SHAPE,
  whole: PRACTICE_SHAPE.required({ name: true, timeZone: true }),
  async read({ tx }) {
    const row = await tx.prisma.organization.findUnique({ where: { id: tx.organizationId } });
    if (!row) return [];
    const { colour, logo } = await findLook(tx);
    return [toStored(PRACTICE_SHAPE, row, { colour, logo: logo && writeHash(logo) })];
  },
  async comparable({ tx, folder }, fields) {
    const colour = typeof fields.colour === 'string' ? { colour: readColour(fields.colour) } : {};
    if (typeof fields.logo !== 'string') return { ...fields, ...colour };
    const [before, logo] = [(await findLook(tx)).logo, await logoIn(folder, fields.logo)];
    return { ...fields, ...colour, logo: before?.hash === logo.hash ? writeHash(logo) : `${fields.logo} ${writeHash(logo)}` };
  },
  async create({ tx, folder }, { colour, logo, ...input }) {
    const { id } = await createOrganization(tx, { ...toOrganizationInput(input), name: input.name, timeZone: input.timeZone });
    await setLook({ tx, folder }, { colour, logo });
    return { id };
  },
  async change({ tx, folder }, _id, { colour, logo, ...input }) {
    await updateOrganization(tx, toOrganizationInput(input));
    await setLook({ tx, folder }, { colour, logo });
  },
});

function toOrganizationInput({ goLiveDate, ...input }: Omit<Practice, 'colour' | 'logo'>): OrganizationInput {
  return { ...input, ...(goLiveDate === undefined ? {} : { goLiveDate: goLiveDate === null ? null : readDay(goLiveDate) }) };
}

interface Look {
  colour: string | null | undefined;
  logo: string | null | undefined;
}

async function setLook({ tx, folder }: Pick<Work, 'tx' | 'folder'>, { colour, logo }: Look): Promise<void> {
  if (colour === undefined && logo === undefined) return;
  const [file] = logo?.split(' sha256:') ?? [];
  await updateLook(tx, {
    ...(colour === undefined ? {} : { colour: colour === null ? null : readColour(colour) }),
    ...(logo === undefined ? {} : { logo: file === undefined ? null : await logoIn(folder, file) }),
  });
}

const writeHash = ({ hash }: { hash: string }): string => `sha256:${hash.slice(0, 12)}`;

/** Bytes of the file of a logo. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** @throws Failure invalid that names what is wrong with the file */
async function logoIn(folder: string, file: string): Promise<Logo> {
  const path = resolve(folder, file);
  const { size } = await stat(path).catch(() => {
    throw invalid('logo', 'is a file that cannot be read');
  });
  if (size > MAX_FILE_BYTES) throw invalid('logo', `must be a file of at most ${MAX_FILE_BYTES / 1024 / 1024} MiB`, 'too_big');
  return readLogo(await readFile(path));
}
