import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ITEM_KINDS } from '../../../messaging/check-ins/usual-items.ts';
import type { PatientMonth } from '../patient-months.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import type { PatientEvidence } from '../rules/evidence-types.ts';

/** A patient's month as it is closed: the row, and all that it rests on. */
export interface ClosedContent {
  row: ClosedRow;
  evidence: PatientEvidence;
}

/** The row of a closed month, complete in itself: later changes of names, policies and rules do not change it. */
export interface ClosedRow extends PatientMonth {
  patient: { id: number; firstName: string | null; lastName: string | null };
  readingsPolicy: 'device' | 'any';
  /** The source of the rule of each code. */
  sources: Record<string, string>;
}

/** A version of a closed row: the first, or a correction. */
interface ClosedVersion {
  organizationId: number;
  version: number;
  /** Hash of the version before, in hexadecimal. */
  previousHash: string | null;
  /** Of a correction: why, when and by whom it was recorded. Those of the first version are the closing's. */
  reason: string | null;
  recordedAt: Date | null;
  recordedById: number | null;
}

/** The texts that are stored and hashed. */
export interface ClosedTexts {
  document: string;
  evidence: string;
}

const SERVICE = z.enum(['rpm', 'rtm_respiratory', 'rtm_musculoskeletal', 'rtm_cognitive_behavioral']);
const instant = z.iso.datetime().transform((text) => new Date(text));
const span = z.object({ days: z.int(), from: z.string().nullable(), to: z.string().nullable() });
const person = z.object({ id: z.int(), firstName: z.string(), lastName: z.string() });
const release = z.object({ at: instant, by: person, reason: z.string() });
const judged = { counts: z.boolean(), why: z.string().nullable() };
const consent = z.object({
  id: z.int(),
  givenAt: instant,
  revokedAt: instant.nullable(),
  how: z.string(),
  by: z.string(),
  note: z.string().nullable(),
  recordedAt: instant,
  recordedById: z.int().nullable(),
  revocationRecordedAt: instant.nullable(),
  revocationRecordedById: z.int().nullable(),
});

const hold = {
  why: z.string(),
  release: release.nullable(),
};

const ROW = z.object({
  patientId: z.int(),
  patient: z.object({ id: z.int(), firstName: z.string().nullable(), lastName: z.string().nullable() }),
  readingsPolicy: z.enum(['device', 'any']),
  sources: z.record(z.string(), z.string()),
  service: SERVICE,
  minutes: z.int(),
  days: z.int(),
  liveContact: z.boolean(),
  consent: z.boolean(),
  consentOnFile: consent.nullable(),
  supply: z.array(span),
  setups: z.array(z.int()),
  releasedUnits: z.int().optional(),
  codes: z.array(z.object({ code: z.string(), units: z.int(), period: span.nullable() })),
  heldUnits: z.array(z.object({ code: z.string(), supported: z.int(), held: z.int() })),
  missing: z.array(
    z.object({ code: z.string(), minutes: z.int(), days: z.int(), liveContact: z.boolean(), consent: z.boolean(), text: z.string() }),
  ),
  reviews: z.int(),
  readings: z.int(),
  reviewIds: z.array(z.int()),
  leftOut: z.array(
    z.object({ kind: z.enum(['readings', 'reviews', 'visits', 'code']), code: z.string().nullable(), count: z.int(), why: z.string() }),
  ),
  holds: z.array(
    z.object({
      ...hold,
      kind: z.enum(['long_review', 'overlapping_reviews', 'too_many_units']),
      reviewId: z.int().nullable(),
      code: z.string().nullable(),
      units: z.int().nullable(),
    }),
  ),
});

const EVIDENCE = z.object({
  patientId: z.int(),
  service: SERVICE,
  consents: z.array(consent),
  episodes: z.array(z.object({ enrolmentId: z.int(), programId: z.int(), service: SERVICE, from: instant, to: instant.nullable() })),
  readings: z.array(
    z.object({
      ...judged,
      id: z.int(),
      itemId: z.int(),
      itemName: z.string(),
      unit: z.string().nullable(),
      // A month that was closed before items had kinds counted every reading as one of these.
      kind: z.enum(ITEM_KINDS).default('physiologic'),
      value: z.number(),
      measuredAt: instant,
      measuredOn: z.string(),
      source: z.enum(['device', 'self', 'staff']),
      device: z.string().nullable(),
      receivedAt: instant,
      recordedById: z.int().nullable(),
    }),
  ),
  reviews: z.array(
    z.object({
      ...judged,
      id: z.int(),
      checkInId: z.int(),
      userId: z.int(),
      startedAt: instant,
      minutes: z.int(),
      live: z.boolean(),
      lateReason: z.string().nullable(),
      holds: z.array(
        z.object({
          ...hold,
          kind: z.enum(['long_review', 'overlapping_reviews']),
          reviewId: z.int(),
          patientId: z.int(),
          overlappingIds: z.array(z.int()),
        }),
      ),
    }),
  ),
  visits: z.array(z.object({ ...judged, sessionId: z.int(), from: instant, before: instant, userIds: z.array(z.int()) })),
});

const DOCUMENT = z.object({ row: ROW });

/** JSON without blanks, the names of each object in order: one text for one content. Instants are ISO 8601 in UTC. */
export const canonicalJson = (content: unknown): string => JSON.stringify(content, inOrder);

const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** The texts of a version. The document holds the hash of the evidence, so that one hash covers both. */
export function writeClosed({ row, evidence }: ClosedContent, { month, timeZone }: BillingPeriod, version: ClosedVersion): ClosedTexts {
  const text = canonicalJson(evidence);
  const evidenceHash = createHash('sha256').update(text).digest('hex');
  return { document: canonicalJson({ format: 1, month, timeZone, ...version, row, evidenceHash }), evidence: text };
}

export const readClosedRow = (document: string): ClosedRow => {
  const { row } = DOCUMENT.parse(JSON.parse(document));
  return row;
};

export const readClosedEvidence = (evidence: string): PatientEvidence => EVIDENCE.parse(JSON.parse(evidence));
