import type { MonitoringConsent, MonitoringService } from '../../../../generated/prisma/client.ts';
import type { ItemKind } from '../../../messaging/check-ins/usual-items.ts';
import type { ReviewHold } from './holds.ts';

export type { MonitoringService };

export type ReadingSource = 'device' | 'self' | 'staff';

/** A record of the evidence, and whether the ledger counts it. */
interface Judged {
  counts: boolean;
  /** The reason for which it does not count, in plain words; null for one that counts. */
  why: string | null;
}

/** A consent to monitoring, with the end that a later revocation set to it. */
export interface ConsentEvidence extends Pick<MonitoringConsent, 'id' | 'givenAt' | 'how' | 'note' | 'recordedAt'> {
  revokedAt: Date | null;
  /** The patient, or the name of a representative. */
  by: string;
  /** The user who recorded it; null for the practice's own tools. */
  recordedById: number | null;
  /** When the revocation was recorded, and by whom. */
  revocationRecordedAt: Date | null;
  revocationRecordedById: number | null;
}

/** One enrolment in a program. */
export interface EpisodeEvidence {
  enrolmentId: number;
  programId: number;
  service: MonitoringService;
  from: Date;
  to: Date | null;
}

export interface ReadingEvidence extends Judged {
  id: number;
  itemId: number;
  itemName: string;
  unit: string | null;
  kind: ItemKind;
  value: number;
  measuredAt: Date;
  /** Day on the clocks of the practice, `2026-11-01`. */
  measuredOn: string;
  source: ReadingSource;
  device: string | null;
  receivedAt: Date;
  /** The user who recorded it; null for what a client or the patient sent. */
  recordedById: number | null;
}

export interface ReviewEvidence extends Judged {
  id: number;
  checkInId: number;
  /** The user who did the work. */
  userId: number;
  startedAt: Date;
  /** All of its minutes, also those outside of the month. */
  minutes: number;
  live: boolean;
  /** Reason of an admin who recorded it late. */
  lateReason: string | null;
  /** Held or released; a held review does not count. */
  holds: ReviewHold[];
}

/** Time that a patient spent in a video session together with hosts. */
export interface VisitEvidence extends Judged {
  sessionId: number;
  from: Date;
  before: Date;
  userIds: number[];
}

/** All that a patient's row in the ledger of a month rests on. */
export interface PatientEvidence {
  patientId: number;
  /** As what the month is billed; by it the readings are judged. */
  service: MonitoringService;
  /** By time, as the other lists. */
  consents: ConsentEvidence[];
  episodes: EpisodeEvidence[];
  readings: ReadingEvidence[];
  reviews: ReviewEvidence[];
  visits: VisitEvidence[];
}
