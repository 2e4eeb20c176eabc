import { statement } from '../../../database/statements/statement.ts';
import type { SlotClaim } from '../../../generated/prisma/client.ts';
import { SLOT_TYPE, type SlotType } from './free-time.sql.ts';

/** The columns by which a slot is the same, and those that may change. */
const SHOWN = 'r (provider_id int, office_id int, type_id int, starts_at timestamptz, ends_at timestamptz, capacity int)';

export interface SlotId {
  id: number;
  providerId: number;
  officeId: number;
  startsAt: Date;
}

/** The ids of slots that were shown as they are. Values: organization, slots as JSON by their columns. */
export const SHOWN_SLOTS = statement<SlotId>(
  'shown_slots',
  `SELECT s.id, s.provider_id AS "providerId", s.office_id AS "officeId", s.starts_at AS "startsAt"
     FROM jsonb_to_recordset($2::jsonb) AS ${SHOWN}
     JOIN slot s ON s.organization_id = $1 AND s.provider_id = r.provider_id AND s.starts_at = r.starts_at AND s.office_id = r.office_id
                AND s.type_id = r.type_id AND s.ends_at = r.ends_at AND s.capacity = r.capacity
    WHERE s.shown_at > now() - interval '1 day'`,
);

/** Stores slots that are shown, and keeps those that were for another day. Values as SHOWN_SLOTS. */
export const SHOW_SLOTS = statement<SlotId>(
  'show_slots',
  `INSERT INTO slot (organization_id, provider_id, office_id, type_id, starts_at, ends_at, capacity, shown_at)
   SELECT $1::int, r.provider_id, r.office_id, r.type_id, r.starts_at, r.ends_at, r.capacity, now() FROM jsonb_to_recordset($2::jsonb) AS ${SHOWN}
       ON CONFLICT (organization_id, provider_id, starts_at, office_id, type_id)
       DO UPDATE SET shown_at = excluded.shown_at, ends_at = excluded.ends_at, capacity = excluded.capacity
   RETURNING id, provider_id AS "providerId", office_id AS "officeId", starts_at AS "startsAt"`,
);

export interface SlotRow extends SlotId {
  /** 0 for none. */
  typeId: number;
  endsAt: Date;
  capacity: number;
  /** Of the provider. */
  userId: number | null;
  type: SlotType | null;
  /** An appointment has its id. */
  isBooked: boolean;
}

/** Locks a slot until the transaction ends. Values: organization, slot. */
export const LOCK_SLOT = statement<SlotRow>(
  'lock_slot',
  `SELECT s.id, s.provider_id AS "providerId", s.office_id AS "officeId", s.type_id AS "typeId", s.starts_at AS "startsAt", s.ends_at AS "endsAt",
          s.capacity, v.user_id AS "userId",
          (SELECT ${SLOT_TYPE} FROM appointment_type t WHERE t.id = s.type_id AND (t.organization_id = $1 OR t.is_global)
            ORDER BY t.organization_id = $1 DESC LIMIT 1) AS type,
          EXISTS (SELECT FROM appointment a WHERE a.organization_id = $1 AND a.id = $2) AS "isBooked"
     FROM slot s JOIN provider v ON v.organization_id = $1 AND v.id = s.provider_id
    WHERE s.organization_id = $1 AND s.id = $2 FOR NO KEY UPDATE OF s`,
);

export interface ClaimRow extends Pick<SlotClaim, 'id' | 'slotId' | 'seat' | 'holder' | 'expiresAt' | 'appointmentId'> {
  /** Of the appointment. */
  patientId: number | null;
  isOver: boolean;
}

const CLAIM = `c.id, c.slot_id AS "slotId", c.seat, c.holder, c.expires_at AS "expiresAt", c.appointment_id AS "appointmentId",
  a.patient_id AS "patientId", coalesce(c.expires_at <= now(), false) AS "isOver"`;
const FROM_CLAIM = 'FROM slot_claim c LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = c.appointment_id';

/** Values: organization, slot. */
export const CLAIMS_OF_SLOT = statement<ClaimRow>(
  'claims_of_slot',
  `SELECT ${CLAIM} ${FROM_CLAIM} WHERE c.organization_id = $1 AND c.slot_id = $2 ORDER BY c.seat`,
);

/** Values: organization, claim. */
export const CLAIM_BY_ID = statement<ClaimRow>('claim_by_id', `SELECT ${CLAIM} ${FROM_CLAIM} WHERE c.organization_id = $1 AND c.id = $2`);

/** Holds that are over, of a provider whose calendar is locked. Values: organization, provider. */
export const END_HOLDS = statement<never>(
  'end_holds',
  'DELETE FROM slot_claim WHERE organization_id = $1 AND provider_id = $2 AND appointment_id IS NULL AND expires_at <= now()',
);

/** Values: organization, slot, seat, provider, the time with its buffers, holder, end of the hold or null. */
export const ADD_CLAIM = statement<{ id: number }>(
  'add_claim',
  `INSERT INTO slot_claim (organization_id, slot_id, seat, provider_id, busy_from, busy_until, holder, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
);

/** Values: organization, claim, its new end. */
export const EXTEND_HOLD = statement<never>('extend_hold', 'UPDATE slot_claim SET expires_at = $3 WHERE organization_id = $1 AND id = $2');

/** Values: organization, claim, appointment. */
export const BOOK_CLAIM = statement<never>(
  'book_claim',
  'UPDATE slot_claim SET appointment_id = $3, expires_at = NULL WHERE organization_id = $1 AND id = $2',
);

/** Ends what a holder has claimed of a slot and nobody has booked. Values: organization, slot, holder. */
export const END_CLAIMS = statement<{ id: number }>(
  'end_claims',
  'DELETE FROM slot_claim WHERE organization_id = $1 AND slot_id = $2 AND holder = $3 AND appointment_id IS NULL RETURNING id',
);

/** Holds of a holder on other slots that are not over. Values: organization, slot, holder. */
export const OTHER_HOLDS = statement<{ count: number }>(
  'other_holds',
  `SELECT count(*)::int AS count FROM slot_claim
    WHERE organization_id = $1 AND slot_id <> $2 AND holder = $3 AND appointment_id IS NULL AND expires_at > now()`,
);

/** Ends them. Values as OTHER_HOLDS. */
export const END_OTHER_HOLDS = statement<never>(
  'end_other_holds',
  'DELETE FROM slot_claim WHERE organization_id = $1 AND slot_id <> $2 AND holder = $3 AND appointment_id IS NULL AND expires_at IS NOT NULL',
);

/** The first slot that is claimed in a span of a provider's time. Values: organization, provider, start, end, the appointment that may be there. */
export const CLAIMED = statement<{ startsAt: Date; endsAt: Date; appointmentId: number | null }>(
  'claimed_time',
  `SELECT s.starts_at AS "startsAt", s.ends_at AS "endsAt", c.appointment_id AS "appointmentId"
     FROM slot_claim c JOIN slot s ON s.organization_id = $1 AND s.id = c.slot_id
    WHERE c.organization_id = $1 AND c.provider_id = $2 AND tstzrange(c.busy_from, c.busy_until) && tstzrange($3, $4)
      AND tstzrange(s.starts_at, s.ends_at) && tstzrange($3, $4)
      AND (c.expires_at IS NULL OR c.expires_at > now()) AND c.appointment_id IS DISTINCT FROM $5
    ORDER BY s.starts_at LIMIT 1`,
);
