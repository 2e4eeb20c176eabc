import { ACCOUNT_EVENTS } from './account-events.ts';
import type { EventKind } from './event-kind.ts';
import { MESSAGING_EVENTS } from './messaging-events.ts';
import { MONITORING_EVENTS } from './monitoring-events.ts';
import { PATIENT_EVENTS } from './patient-events.ts';
import { PRACTICE_EVENTS } from './practice-events.ts';
import { SCHEDULING_EVENTS } from './scheduling-events.ts';
import { TELEHEALTH_EVENTS } from './telehealth-events.ts';
import { WEBHOOK_EVENTS } from './webhook-events.ts';

/** Every event of the log by its name: subject and past tense. `docs/events.md` is made of it. */
export const EVENTS = {
  ...PATIENT_EVENTS,
  ...SCHEDULING_EVENTS,
  ...MESSAGING_EVENTS,
  ...TELEHEALTH_EVENTS,
  ...MONITORING_EVENTS,
  ...PRACTICE_EVENTS,
  ...ACCOUNT_EVENTS,
  ...WEBHOOK_EVENTS,
} satisfies Record<string, EventKind>;

/** `patient.registered` and every other name of the catalogue. */
export type EventName = keyof typeof EVENTS;

const isEventName = (name: string): name is EventName => Object.hasOwn(EVENTS, name);

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS).filter(isEventName);
