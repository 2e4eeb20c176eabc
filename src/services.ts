import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Config, mayHaveSandbox } from './config/config.ts';
import { createOwnOrigin, type OwnOrigin } from './config/origin.ts';
import type { Database } from './database/database.ts';
import type { Keyring } from './database/encryption/keyring.ts';
import { preparedIn } from './database/statements/statement.ts';
import type { FileStore } from './domain/files/stored-files.ts';
import { type ClientKeySets, createClientKeySets } from './domain/identity/clients/client-key-sets.ts';
import { createRequestLog, type RequestLog } from './domain/identity/clients/request-log.ts';
import { createFactorAttempts, type FactorAttempts } from './domain/identity/factors/factor-attempts.ts';
import { type BookingLimits, createBookingLimits } from './domain/identity/limits/booking-limits.ts';
import { createSignInLimits, type SignInLimits } from './domain/identity/limits/sign-in-limits.ts';
import { tellOfUnsentMail, tellOfUnsentText } from './domain/messaging/check-ins/unsent-check-ins.ts';
import { closeFormerQuestions, withdrawTexts } from './domain/messaging/confirmations/appointment-reactions.ts';
import { endOtherGuardian, renewAllEndsOfGuardianships, renewEndOfGuardianship } from './domain/messaging/inbox/ended-guardianships.ts';
import { planLinkAfterDecline } from './domain/messaging/offers/links-after-decline.ts';
import { passOnUnmailed, passOnUntexted, withdrawOfferText } from './domain/messaging/offers/offer-answers.ts';
import { tellOfChange } from './domain/messaging/visit-messages/change-messages.ts';
import { acknowledgeAlertsOfItem } from './domain/monitoring/alerts/alert-actions.ts';
import { keepSupplyPeriod } from './domain/monitoring/monthly-billing/closing/closing-reactions.ts';
import { endWhatIsOpen } from './domain/patient-rights/deleted-charts.ts';
import { withdrawDeleted } from './domain/patients/chart/withdrawn-charts.ts';
import { createSenders, followTestPractices } from './domain/practices/test-practices.ts';
import { cancelAppointmentsOfDeceased } from './domain/scheduling/status/appointments-of-deceased.ts';
import { freeDeclinedAppointment } from './domain/scheduling/status/declined-appointments.ts';
import { storeNotices } from './domain/telehealth/sessions/signals.ts';
import { beginAppointment } from './domain/telehealth/visits/visit-reactions.ts';
import { dismissWaiting } from './domain/telehealth/waiting/appointment-reactions.ts';
import { createPracticeShares } from './domain/unit-of-work/practice-shares.ts';
import { createUnitOfWork, onChangeOf, type Reactions, type UnitOfWork } from './domain/unit-of-work/unit-of-work.ts';
import type { Gateways, Senders } from './gateways/gateways.ts';
import { type Authenticator, createAuthenticator } from './http/auth/authenticate.ts';
import { createKeys, type Keys } from './http/auth/keys.ts';
import { createTokens, type Tokens } from './http/auth/tokens.ts';
import { type AppAreas, createAppAreas } from './http/endpoints/app-areas.ts';
import { createLimits, type Limits } from './http/requests/limits.ts';
import { createEventLogStreams, type EventLogStreams } from './http/streams/event-log-streams.ts';
import { createNotificationStreams, type NotificationStreams } from './http/streams/notification-streams.ts';
import type { Outbox } from './jobs/queue/queue.ts';

const followGuardianName = onChangeOf(['guardianFirstName', 'guardianLastName'], endOtherGuardian);

/** The consequences of changes in other areas, by event: each reacts in this order, in the transaction of the change. */
export const REACTIONS: Reactions = {
  'appointment.scheduled': [tellOfChange],
  'appointment.moved': [withdrawTexts, tellOfChange, dismissWaiting],
  'appointment.changed': [withdrawTexts, tellOfChange],
  'appointment.cancelled': [withdrawTexts, tellOfChange, dismissWaiting],
  'appointment.declined': [withdrawTexts, planLinkAfterDecline, freeDeclinedAppointment],
  'patient.updated': [
    onChangeOf(['status'], endWhatIsOpen),
    onChangeOf(['status'], withdrawDeleted),
    onChangeOf(['birthDate'], renewEndOfGuardianship),
    followGuardianName,
    onChangeOf(['deceasedDate'], cancelAppointmentsOfDeceased),
    onChangeOf(['mobilePhone', 'homePhone'], closeFormerQuestions),
  ],
  'patient.merged': [renewEndOfGuardianship, followGuardianName],
  'patient.unmerged': [renewEndOfGuardianship, followGuardianName],
  'slot_offer.ended': [withdrawOfferText],
  'text.suppressed': [tellOfUnsentText, passOnUntexted],
  'text.failed': [tellOfUnsentText, passOnUntexted],
  'mail.suppressed': [tellOfUnsentMail, passOnUnmailed],
  'mail.failed': [tellOfUnsentMail, passOnUnmailed],
  'inbox_item.acknowledged': [acknowledgeAlertsOfItem],
  'inbox_item.closed': [acknowledgeAlertsOfItem],
  'organization.updated': [keepSupplyPeriod, onChangeOf(['timeZone', 'minorUntil'], renewAllEndsOfGuardianships)],
  'telehealth_visit.started': [beginAppointment],
};

/** The parts that every process is given: its configuration, its database, its master keys and its log. */
export interface ProcessParts {
  config: Config;
  database: Database;
  keyring: Keyring;
  logger: Logger;
}

/** The parts that the requests and the jobs of one process share. */
export interface Services extends ProcessParts {
  ownOrigin: OwnOrigin;
  gateways: Gateways;
  /** The ways in which texts and mails of a practice leave. */
  findSenders(organizationId: number): Promise<Senders>;
  store: FileStore;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
  /** Waits for the transactions under way and leaves the queue. To be called before the database is closed. */
  close(): Promise<void>;
}

/** Makes the parts of a server or a worker, once a process. */
export async function createServices(parts: ProcessParts): Promise<Services> {
  const { config, database, keyring, logger } = parts;
  // Commands use neither: without the libraries of carriers and queue they start in half the time.
  const [{ createGateways }, { createOutbox }] = await Promise.all([import('./gateways/gateways.ts'), import('./jobs/queue/queue.ts')]);
  const gateways = await createGateways(config, database, keyring);
  const outbox = createOutbox(database, logger);
  const { DATABASE_POOL: connections } = config;
  const shares = createPracticeShares({ slots: connections, share: connections / 2, longestQueue: 20 * connections });
  const unitOfWork = createUnitOfWork(database, outbox.enqueue, REACTIONS, { storeNotices, shares });
  const prepared = preparedIn(database.prisma);
  const stopFollowing = mayHaveSandbox(config) ? follow(() => followTestPractices(prepared)) : () => {};
  return {
    ...parts,
    ownOrigin: createOwnOrigin(config),
    gateways,
    findSenders: createSenders(prepared, gateways),
    store: { db: database.prisma, files: gateways.files },
    outbox,
    unitOfWork,
    async close() {
      stopFollowing();
      await unitOfWork.settled();
      await outbox.close();
    },
  };
}

/** Milliseconds until what one process has set for the sandbox holds in the others. */
const FOLLOW_MS = 1_000;

/** Repeats something until it is stopped. A failure is one of the database, which its requests tell of. */
function follow(look: () => Promise<unknown>): () => void {
  const timer = setInterval(() => void look().catch(() => {}), FOLLOW_MS).unref();
  return () => clearInterval(timer);
}

/** The parts of a command at the command line. The queue is opened by the first job: most commands have none, and start without its library. */
export function createCommandServices({ database }: Pick<ProcessParts, 'database'>): Pick<Services, 'unitOfWork' | 'close'> {
  let outbox: Promise<Outbox> | undefined;
  // A queue that cannot be reached fails the command: nothing is left to warn of.
  const openOutbox = async () => (await import('./jobs/queue/queue.ts')).createOutbox(database, { warn: () => undefined });
  const unitOfWork = createUnitOfWork(
    database,
    async (...jobs) => {
      outbox ??= openOutbox();
      await (await outbox).enqueue(...jobs);
    },
    REACTIONS,
    { storeNotices },
  );
  return {
    unitOfWork,
    async close() {
      await unitOfWork.settled();
      await (await outbox)?.close();
    },
  };
}

/** The parts that only serve requests. */
export interface HttpServices extends Services {
  keys: Keys;
  tokens: Tokens;
  authenticator: Authenticator;
  limits: Limits;
  signInLimits: SignInLimits;
  bookingLimits: BookingLimits;
  keySets: ClientKeySets;
  factorAttempts: FactorAttempts;
  appAreas: AppAreas;
  streams: NotificationStreams;
  eventStreams: EventLogStreams;
  requestLog: RequestLog;
  /** A transfer that makes no progress for so many milliseconds is ended. */
  transferIdleMs: number;
  /** Responses are held against their declared shape. */
  checkResponses: boolean;
}

/** @param app with @fastify/jwt, which signs and verifies the tokens */
export function createHttpServices(app: FastifyInstance, services: Services): HttpServices {
  const { config, database, keyring, logger, gateways } = services;
  const keys = createKeys(database.prisma, keyring);
  const tokens = createTokens(app, keys);
  const onFailure = (err: unknown) => logger.warn({ err }, 'the key set of a client cannot be read');
  return {
    ...services,
    keys,
    tokens,
    authenticator: createAuthenticator(database.prisma, tokens),
    limits: createLimits(config, database, keyring),
    signInLimits: createSignInLimits(database.pool, keyring, config),
    bookingLimits: createBookingLimits(database.pool, keyring),
    keySets: createClientKeySets(gateways.guarded.fetch, onFailure),
    factorAttempts: createFactorAttempts(database.pool, keyring),
    appAreas: createAppAreas(),
    streams: createNotificationStreams(database.prisma, logger),
    eventStreams: createEventLogStreams(database.prisma, logger, config.PRACTICE_LIMITS.streams),
    requestLog: createRequestLog(database.prisma, (err) => logger.warn({ err }, 'requests of clients cannot be stored')),
    transferIdleMs: config.TRANSFER_IDLE_SECONDS * 1000,
    checkResponses: config.NODE_ENV !== 'production',
  };
}
