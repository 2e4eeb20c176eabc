import type { Command } from 'commander';
import { z } from 'zod';
import {
  allocateOrganizationId,
  createOrganization,
  findOrganization,
  listOrganizations,
  type Organization,
  updateOrganization,
} from '../../domain/practices/organizations.ts';
import { readLanguageTag } from '../../domain/values/languages.ts';
import { writeDay, writeInstant } from '../../domain/values/time.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { choice, clearable, clock, day, email, id, phone, state, text, timeZone, yesNo, zip } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { addressCheckCommand } from './address-check.ts';
import { lookCommand } from './look.ts';

/** Optional settings besides name and zone; `create` and `set` have the same flags. */
const settings = {
  phone: clearable(phone()).exactOptional().describe('telephone number; an empty text clears it'),
  email: clearable(email()).exactOptional().describe('email of the practice; an empty text clears it'),
  website: clearable(text(500)).exactOptional().describe('address of its web site; an empty text clears it'),
  address1: clearable(text(200)).exactOptional().describe('street; an empty text clears it'),
  address2: clearable(text(200)).exactOptional().describe('second line; an empty text clears it'),
  city: clearable(text(100)).exactOptional().describe('an empty text clears it'),
  state: clearable(state()).exactOptional().describe('two letters, or its name; an empty text clears it'),
  zip: clearable(zip()).exactOptional().describe('five or nine digits; an empty text clears it'),
  registration: choice('open', 'strict')
    .exactOptional()
    .describe('what a new patient needs: one field, or name, birth date, office and a way to reach them'),
  matchOnRegistration: yesNo().exactOptional().describe('look for the same patient before registering one; new practices do'),
  doubleBooking: choice('allow', 'refuse').exactOptional().describe('overlapping appointments of one user'),
  quietHoursStart: clock().exactOptional().describe('time of day, on the clock of the patient, from which no text message is sent'),
  quietHoursEnd: clock().exactOptional().describe('until when'),
  visitChangeNotice: choice('none', 'text', 'email')
    .exactOptional()
    .describe('how patients are told that a visit was moved or cancelled, unless the request says otherwise; new practices have none'),
  inboxEscalationMinutes: z
    .string()
    .regex(/^\d{1,4}$/, 'must be minutes from 1 to 1440')
    .transform(Number)
    .pipe(z.int().min(1, 'must be minutes from 1 to 1440').max(1_440, 'must be minutes from 1 to 1440'))
    .exactOptional()
    .meta({ placeholder: 'minutes' })
    .describe('until the next member of a call group is notified of an inbox item that nobody has acknowledged; 15 in new practices'),
  appointmentLength: z
    .string()
    .regex(/^\d{1,3}$/, 'must be minutes from 5 to 480')
    .transform(Number)
    .pipe(z.int().min(5, 'must be minutes from 5 to 480').max(480, 'must be minutes from 5 to 480'))
    .exactOptional()
    .meta({ placeholder: 'minutes' })
    .describe('length of appointments whose type has no length'),
  monitoringReadings: choice('device', 'any')
    .exactOptional()
    .describe(
      'readings that count towards the supply of a device: those that the rule of the code accepts, or any; device in new practices',
    ),
  monitoringPeriod: choice('calendar_month', 'thirty_days')
    .exactOptional()
    .describe('period of the supply of a device: the month, or 30 days from the first reading on; calendar_month in new practices'),
  enterprise: yesNo().exactOptional().describe('several financial groups'),
  clinicals: yesNo().exactOptional().describe('keeps clinical records'),
  communicator: yesNo().exactOptional().describe('sends reminders and messages'),
  collector: yesNo().exactOptional().describe('bills'),
  medicationHistory: yesNo().exactOptional().describe('may ask for the medication history of a patient'),
  goLiveDate: clearable(day())
    .exactOptional()
    .describe('day on which the practice began to work with this server; an empty text clears it'),
  experienceMode: clearable(text(50)).exactOptional().describe('as the practice API shows it; an empty text clears it'),
  coordinatorSender: yesNo().exactOptional().describe('sends referrals and orders to other practices'),
  coordinatorReceiver: yesNo().exactOptional().describe('receives them'),
  language: text(10)
    .refine((written) => readLanguageTag(written) !== null, 'must be a language such as en or es')
    .exactOptional()
    .describe('language of its messages, such as en or es'),
};
const settingsShape = z.object(settings);

/** The flags, in the words of the domain. */
function toInput({
  registration,
  appointmentLength,
  enterprise,
  clinicals,
  communicator,
  collector,
  medicationHistory,
  coordinatorSender,
  coordinatorReceiver,
  language,
  ...same
}: z.output<typeof settingsShape>) {
  return {
    ...same,
    ...(registration === undefined ? {} : { registrationPolicy: registration }),
    ...(appointmentLength === undefined ? {} : { defaultAppointmentLength: appointmentLength }),
    ...(enterprise === undefined ? {} : { isEnterprise: enterprise }),
    ...(clinicals === undefined ? {} : { hasClinicals: clinicals }),
    ...(communicator === undefined ? {} : { hasCommunicator: communicator }),
    ...(collector === undefined ? {} : { hasCollector: collector }),
    ...(medicationHistory === undefined ? {} : { hasMedicationHistory: medicationHistory }),
    ...(coordinatorSender === undefined ? {} : { isCoordinatorSender: coordinatorSender }),
    ...(coordinatorReceiver === undefined ? {} : { isCoordinatorReceiver: coordinatorReceiver }),
    ...(language === undefined ? {} : { languageId: language }),
  };
}

export function organizationCommands(program: Command, { command }: CommandDeclarer): void {
  const organizations = program.command('organizations').description('Practices: each is a tenant of its own.');

  addressCheckCommand(organizations, command);
  lookCommand(organizations, command);

  command(organizations, 'create', {
    summary: 'Create a practice',
    options: z.object({ name: text(200).describe('its name'), timeZone: timeZone().describe('its IANA time zone'), ...settings }),
    run: async ({ db, create }, { name, timeZone: zone, ...rest }) => {
      const input = { name, timeZone: zone, ...toInput(rest) };
      const organizationId = await allocateOrganizationId(db);
      return record(full(await create(organizationId, (tx, caller) => createOrganization(tx, caller, input))));
    },
  });

  command(organizations, 'list', {
    summary: 'List the practices',
    options: z.object({}),
    run: async ({ db }) => list((await listOrganizations(db)).map(brief), 'There are no practices yet.'),
  });

  command(organizations, 'show', {
    summary: 'Show a practice with all its settings',
    options: z.object({ organization: id().meta({ positional: true }).describe('id of the practice') }),
    run: async ({ db }, { organization }) => record(full(await findOrganization(db, organization))),
  });

  setCommand(organizations, command);
}

function setCommand(organizations: Command, command: CommandDeclarer['command']): void {
  command(organizations, 'set', {
    summary: 'Change settings of a practice',
    details: 'Only what is given changes.',
    options: z.object({
      organization: id().meta({ positional: true }).describe('id of the practice'),
      name: text(200).exactOptional().describe('its name'),
      timeZone: timeZone().exactOptional().describe('its IANA time zone; existing appointments keep theirs'),
      active: yesNo()
        .exactOptional()
        .describe('no closes the practice: its users, clients and links are refused within a second; asks for --confirm'),
      confirm: text(200).exactOptional().meta({ placeholder: 'name' }).describe('the name of the practice, to close it'),
      ...settings,
    }),
    run: async ({ db, write }, { organization, name, timeZone: zone, active, confirm, ...rest }) => {
      if (active === false) requireConfirmed(await findOrganization(db, organization), confirm);
      else if (confirm !== undefined) throw new UsageError('--confirm: only --active no asks for it.');
      const input = {
        ...(active === undefined ? {} : { active }),
        ...(name === undefined ? {} : { name }),
        ...(zone === undefined ? {} : { timeZone: zone }),
        ...toInput(rest),
      };
      if (Object.keys(input).length === 0) throw new UsageError('Say what to change; --help lists it.');
      return record(full(await write(organization, (db, caller) => updateOrganization(db, caller, input))));
    },
  });
}

/** @throws UsageError saying what closing does, where the practice is open and its name was not given */
function requireConfirmed({ id: number, name, active }: Organization, confirm: string | undefined): void {
  if (!active || confirm === name) return;
  const found = confirm === undefined ? '' : `--confirm: this is not the name of practice ${number}. `;
  throw new UsageError(
    `${found}Closing "${name}" refuses its users and clients within a second, ends its visits, and stops its texts, mails and links; no data is deleted. Add --confirm ${JSON.stringify(name)} to close it.`,
  );
}

const brief = ({ id: number, name, timeZone: zone, phone: telephone, registrationPolicy, doubleBooking, active }: Organization): Row => ({
  id: number,
  name,
  time_zone: zone,
  phone: telephone,
  registration: registrationPolicy,
  double_booking: doubleBooking,
  active,
});

function full(organization: Organization): Row {
  return {
    ...brief(organization),
    email: organization.email,
    website: organization.website,
    address1: organization.address1,
    address2: organization.address2,
    city: organization.city,
    state: organization.state,
    zip: organization.zip,
    go_live_date: writeDay(organization.goLiveDate),
    experience_mode: organization.experienceMode,
    coordinator_sender: organization.isCoordinatorSender,
    coordinator_receiver: organization.isCoordinatorReceiver,
    match_on_registration: organization.matchOnRegistration,
    quiet_hours_start: organization.quietHoursStart,
    quiet_hours_end: organization.quietHoursEnd,
    visit_change_notice: organization.visitChangeNotice,
    inbox_escalation_minutes: organization.inboxEscalationMinutes,
    monitoring_readings: organization.monitoringReadings,
    monitoring_period: organization.monitoringPeriod,
    appointment_length: organization.defaultAppointmentLength,
    enterprise: organization.isEnterprise,
    clinicals: organization.hasClinicals,
    communicator: organization.hasCommunicator,
    collector: organization.hasCollector,
    medication_history: organization.hasMedicationHistory,
    language: organization.languageId,
    created_at: writeInstant(organization.createdAt),
    updated_at: writeInstant(organization.updatedAt),
  };
}
