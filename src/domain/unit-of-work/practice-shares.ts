import { Failure } from '../errors.ts';

export interface ShareOptions {
  /** Reads and writes that run at the same time. */
  slots: number;
  /** Those of one practice, while another one has work too. */
  share: number;
  /** Reads and writes that may wait; beyond them a practice with more than its part of them is refused. */
  longestQueue: number;
}

export interface PracticeShares {
  /** Resolves when it is the practice's turn; undefined where that is now. @throws Failure unavailable */
  enter(practice: number): Promise<void> | undefined;
  leave(practice: number): void;
}

/** The work of one practice at this moment. */
interface Busy {
  running: number;
  waiting: (() => void)[];
}

/**
 * Shares a process among practices: they take turns, so that one with a thousand requests keeps none of the others waiting for all of
 * them. What would wait for long is refused at once.
 */
export function createPracticeShares({ slots, share, longestQueue }: ShareOptions): PracticeShares {
  /** Practices with work, in the order of their turns. */
  const practices = new Map<number, Busy>();
  let running = 0;
  let waiting = 0;

  const mayRun = (practice: Busy) => running < slots && (practice.running < share || practices.size === 1);

  function take(practice: Busy): void {
    practice.running += 1;
    running += 1;
  }

  /** Gives free slots to those who wait. A practice that had its turn goes to the end. */
  function giveTurns(): void {
    for (const [id, practice] of practices) {
      if (running >= slots || waiting === 0) return;
      if (practice.waiting.length === 0 || !mayRun(practice)) continue;
      practices.delete(id);
      practices.set(id, practice);
      waiting -= 1;
      take(practice);
      practice.waiting.shift()?.();
    }
  }

  return {
    enter(id) {
      const practice = practices.get(id) ?? { running: 0, waiting: [] };
      practices.set(id, practice);
      if (practice.waiting.length === 0 && mayRun(practice)) {
        take(practice);
        return undefined;
      }
      if (waiting >= longestQueue && practice.waiting.length >= longestQueue / practices.size) throw tooBusy();
      waiting += 1;
      return new Promise((resolve) => practice.waiting.push(resolve));
    },
    leave(id) {
      const practice = practices.get(id);
      if (!practice) throw new Error('a practice leaves that has not entered');
      practice.running -= 1;
      running -= 1;
      if (practice.running === 0 && practice.waiting.length === 0) practices.delete(id);
      giveTurns();
    },
  };
}

const tooBusy = () => new Failure('unavailable', 'unavailable', 'Too many requests are waiting. Try again in a second.', { retryAfter: 1 });
