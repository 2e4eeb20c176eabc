import type { Pool } from 'pg';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Failure } from '../../errors.ts';
import { countAttempt, createFailureCounter, tooManyAttempts } from './failure-counters.ts';
import { toNetwork } from './sign-in-limits.ts';

const HOUR_SECONDS = 3_600;

export interface BookingCodeRequest {
  organizationId: number;
  /** Network address of who asks. */
  address: string;
  /** A telephone number, or an email address. */
  to: string;
}

/** Counts the codes of public booking pages, on all processes and across restarts, without storing whom they go to. */
export interface BookingLimits {
  /** @throws Failure too_many_requests */
  countCode(request: BookingCodeRequest): Promise<void>;
}

export function createBookingLimits(pool: Pool, keyring: Keyring): BookingLimits {
  const counter = (keyPrefix: string, points: number, duration: number) => {
    const counted = createFailureCounter(pool, { keyPrefix, points, duration });
    return (key: string) => countAttempt(counted, keyring.mac('booking-limits', key).toString('base64url'), tooMany);
  };
  const byNetwork = counter('booking-from', 20, HOUR_SECONDS);
  const byRecipient = counter('booking-to', 10, 24 * HOUR_SECONDS);
  const byPractice = counter('booking-at', 300, HOUR_SECONDS);
  return {
    async countCode({ organizationId, address, to }) {
      await byNetwork(toNetwork(address));
      await byRecipient(`${organizationId} ${to.toLowerCase()}`);
      await byPractice(String(organizationId));
    },
  };
}

const tooMany = (counted: RateLimiterRes): Failure => tooManyAttempts(counted, 'rate_limited', 'Too many codes were requested.');
