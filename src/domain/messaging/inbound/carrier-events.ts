import { Counter } from 'prom-client';
import type { Db } from '../../../database/database.ts';
import type { CallInstruction, CarrierEvent } from '../../../gateways/carrier/carrier.ts';
import type { CallerIdentity } from '../../caller.ts';
import type { UnitOfWork } from '../../unit-of-work/unit-of-work.ts';
import { callInstruction, findNumberOwner, type InboundResult, type NumberOwner, recordIncomingCall } from '../calls/incoming-calls.ts';
import { recordVoiceMessage } from '../calls/voice-messages.ts';
import { parseTextReference, recordDeliveryReport } from '../sending/outgoing-texts.ts';
import { receiveText } from './inbound-texts.ts';

const deliveryReports = new Counter({
  name: 'text_reports_total',
  help: 'Reports of the carrier about texts, by result: sent, delivered, failed',
  labelNames: ['state'],
});
for (const state of ['sent', 'delivered', 'failed'] as const) deliveryReports.inc({ state }, 0);

export interface CarrierEventDeps {
  db: Db;
  unitOfWork: UnitOfWork;
  /** The caller to act as, for the organization that the event belongs to. */
  callerFor(organizationId: number): CallerIdentity;
  /** Once aborted, nothing more is written. */
  signal?: AbortSignal;
}

/** Result of a carrier event, and the instruction that the carrier gets in response. */
export interface CarrierEventOutcome {
  arrival: InboundResult;
  instruction: CallInstruction;
}

/**
 * Applies an event of the carrier. Inbound events belong to the practice that has the number, delivery reports to the
 * practice that sent the text. Repeated events, also concurrent ones, have no further effect. Events for an unknown
 * number or text are ignored.
 */
export async function applyCarrierEvent(deps: CarrierEventDeps, event: CarrierEvent): Promise<CarrierEventOutcome> {
  if (event.kind === 'status') return { arrival: await applyDeliveryReport(deps, event), instruction: { kind: 'nothing' } };
  const rings = event.kind === 'call' && event.endedAt === null;
  const holder = await findNumberOwner(deps.db, event.to);
  const arrival = holder ? await applyInboundEvent(deps, holder, event) : 'ignored';
  if (!rings) return { arrival, instruction: { kind: 'nothing' } };
  return { arrival, instruction: holder && arrival !== 'ignored' ? await callInstruction(deps.db, holder) : { kind: 'reject' } };
}

type EventOf<K extends CarrierEvent['kind']> = Extract<CarrierEvent, { kind: K }>;

async function applyDeliveryReport({ unitOfWork, callerFor, signal }: CarrierEventDeps, event: EventOf<'status'>): Promise<InboundResult> {
  const text = parseTextReference(event.reference);
  if (!text) return 'ignored';
  const { id: carrierId, ...report } = event;
  const isKnown = await unitOfWork.write(
    callerFor(text.organizationId),
    (tx) => recordDeliveryReport(tx, text.id, { ...report, carrierId }),
    signal ? { signal } : {},
  );
  if (isKnown) deliveryReports.inc({ state: event.state });
  return isKnown ? 'known' : 'ignored';
}

function applyInboundEvent(
  { unitOfWork, callerFor, signal }: CarrierEventDeps,
  { organizationId }: NumberOwner,
  event: Exclude<CarrierEvent, EventOf<'status'>>,
): Promise<InboundResult> {
  return unitOfWork.write(
    callerFor(organizationId),
    async (tx) => {
      if (event.kind === 'call') return recordIncomingCall(tx, event);
      if (event.kind === 'voice_message') return recordVoiceMessage(tx, event);
      return (await receiveText(tx, event)) ? 'stored' : 'known';
    },
    signal ? { signal } : {},
  );
}
