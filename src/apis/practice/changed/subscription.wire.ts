import { z } from 'zod';
import type { ChangeFeed } from '../../../domain/changes/feeds.ts';
import type { ChangeSubscription, WantedChanges } from '../../../domain/changes/subscriptions.ts';
import { optional, text } from '../../../http/wire/wire-types.ts';
import { eitherPart, option } from '../parameters.ts';

const reminders = () => option().describe('Include UpdateReminderCall');
const overbooking = () => option().describe('Include UpdateSuggestedOverbooking');

/** The optional changes of appointments. */
const besides = { includeremindercall: reminders(), includesuggestedoverbooking: overbooking() };

const eventname = optional(text(100)).describe('A name listed by `…/subscription/events`, in any case; all by default');

/** The parameters of the operations on the subscription of each feed. */
export const SUBSCRIPTION_QUERIES = {
  patients: { read: z.object({}), change: z.object({ eventname }) },
  appointments: { read: z.object(besides), change: z.object({ eventname, ...besides }) },
  providers: { read: z.object({}), change: z.object({ eventname }) },
} satisfies Record<ChangeFeed, { read: z.ZodType; change: z.ZodType }>;

export const SubscriptionForm = z.strictObject({ eventname }).meta({ id: 'ChangeSubscriptionForm' });

/** A member that is misspelled is refused: a subscription without a name has all changes. */
export const AppointmentSubscriptionForm = z.strictObject({ eventname, ...besides }).meta({ id: 'AppointmentChangeSubscriptionForm' });

const subscriptions = z
  .array(z.strictObject({ eventname: z.string().describe('Name of a change, such as AddPatient') }).meta({ id: 'ChangeEventName' }))
  .describe('The names of changes');

export const SubscriptionShape = z
  .strictObject({
    status: z.enum(['ACTIVE', 'PARTIAL', 'INACTIVE']).describe('ACTIVE: all default changes; PARTIAL: some changes; INACTIVE: none'),
    subscriptions: subscriptions.describe('Subscribed changes'),
  })
  .meta({ id: 'ChangeSubscription' });

export const EventNamesShape = z
  .strictObject({ subscriptions: subscriptions.describe('All changes available for subscription') })
  .meta({ id: 'ChangeEventNames' });

export const SuccessShape = z.strictObject({ success: z.literal(true).describe('Always true') }).meta({ id: 'ChangeSubscriptionSuccess' });

const STATUSES = { all: 'ACTIVE', some: 'PARTIAL', none: 'INACTIVE' } as const;

const namesIn = (names: readonly string[]) => names.map((name) => ({ eventname: name }));

export const fromSubscription = ({ extent, names }: ChangeSubscription): z.input<typeof SubscriptionShape> => ({
  status: STATUSES[extent],
  subscriptions: namesIn(names),
});

export const fromEventNames = (names: readonly string[]): z.input<typeof EventNamesShape> => ({ subscriptions: namesIn(names) });

/** The parameters of a change of a subscription, as they come in the query or in the form. */
export interface SentChange {
  eventname?: string | null | undefined;
  includeremindercall?: boolean;
  includesuggestedoverbooking?: boolean;
}

/** The optional changes that the flags name. */
export const toBesides = (...sent: SentChange[]): string[] => [
  ...(sent.some(({ includeremindercall }) => includeremindercall) ? ['UpdateReminderCall'] : []),
  ...(sent.some(({ includesuggestedoverbooking }) => includesuggestedoverbooking) ? ['UpdateSuggestedOverbooking'] : []),
];

/** @throws Failure invalid where the query and the form name different changes */
export const toWantedChanges = (query: SentChange, form: SentChange): WantedChanges => ({
  name: eitherPart('eventname', query.eventname, form.eventname, (name) => name.toLowerCase()),
  besides: toBesides(query, form),
});
