import type { z } from 'zod';
import { type ChangeFeed, listChangeNames } from '../../../domain/changes/feeds.ts';
import { readSubscription, subscribe, unsubscribe } from '../../../domain/changes/subscriptions.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { CHANGES } from './changed.wire.ts';
import {
  AppointmentSubscriptionForm,
  EventNamesShape,
  fromEventNames,
  fromSubscription,
  type SentChange,
  SUBSCRIPTION_QUERIES,
  SubscriptionForm,
  SubscriptionShape,
  SuccessShape,
  toBesides,
  toWantedChanges,
} from './subscription.wire.ts';

/** The words of each feed in the names and summaries of its operations. */
const WORDS: Record<ChangeFeed, { one: string; many: string }> = {
  patients: { one: 'Patient', many: 'patients' },
  appointments: { one: 'Appointment', many: 'appointments' },
  providers: { one: 'Provider', many: 'providers' },
};

/** The subscription of a client to the changes of each kind of record. */
export function changeSubscriptionRoutes(endpoints: Endpoints): void {
  subscriptionRoutes(endpoints, 'patients', SubscriptionForm);
  subscriptionRoutes(endpoints, 'appointments', AppointmentSubscriptionForm);
  subscriptionRoutes(endpoints, 'providers', SubscriptionForm);
}

function subscriptionRoutes(endpoints: Endpoints, feed: ChangeFeed, form: z.ZodType<SentChange>): void {
  const { get, post, remove } = endpoints.group(CHANGES);
  const { one, many } = WORDS[feed];
  const path = `/${feed}/changed/subscription`;
  const { read, change } = SUBSCRIPTION_QUERIES[feed];
  get(path, {
    operationId: `get${one}ChangeSubscription`,
    summary: `Read the subscription to changes of ${many}`,
    description: 'Each client has its own subscription in each practice.',
    query: read,
    response: SubscriptionShape,
    handle: async ({ tx, query }) => fromSubscription(await readSubscription(tx, feed, toBesides(query))),
  });
  get(`${path}/events`, {
    operationId: `list${one}ChangeEvents`,
    summary: `List the changes of ${many} available for subscription`,
    response: EventNamesShape,
    handle: async () => fromEventNames(listChangeNames(feed)),
  });
  post(path, {
    operationId: `create${one}ChangeSubscription`,
    summary: `Subscribe to changes of ${many}`,
    description: 'Changes are reported from now on. Parameters may be in the query or in the form.',
    query: change,
    body: form,
    bodyOptional: true,
    response: SuccessShape,
    handle: async ({ tx, query, body }) => {
      await subscribe(tx, feed, toWantedChanges(query, body));
      return { success: true } as const;
    },
  });
  remove(path, {
    operationId: `delete${one}ChangeSubscription`,
    summary: `Unsubscribe from changes of ${many}`,
    description: 'Removing the last change discards records not yet fetched. Parameters may be in the query or in the form.',
    query: change,
    body: form,
    bodyOptional: true,
    response: SuccessShape,
    handle: async ({ tx, query, body }) => {
      await unsubscribe(tx, feed, toWantedChanges(query, body).name);
      return { success: true } as const;
    },
  });
}
