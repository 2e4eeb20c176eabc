import { isLoopback } from '../../config/production.ts';
import { fail, type OutsideCheck, ok, warn, wordsOf } from './finding.ts';

/** The server that carries the signals of video rooms, where one is named. */
export const SIGNAL_CHECK: OutsideCheck = {
  name: 'signals',
  async look({ SIGNAL_URL, NODE_ENV }) {
    if (SIGNAL_URL === undefined) return ok('signals of video rooms go through the database');
    const url = new URL(SIGNAL_URL);
    const whom = `the signal server ${url.host}`;
    // Other commands do without its library.
    const { checkSignalServer } = await import('../../gateways/signal-server-check.ts');
    try {
      const policy = await checkSignalServer(SIGNAL_URL);
      if (policy !== null && policy !== 'noeviction')
        return warn(
          `${whom} removes what it holds when its memory is full (${policy})`,
          'Set maxmemory-policy noeviction: signals would be lost.',
        );
      const isPlain = url.protocol === 'redis:' || url.protocol === 'valkey:';
      if (isPlain && url.password !== '' && NODE_ENV === 'production' && !isLoopback(url))
        return warn(`${whom} is asked without TLS`, 'Use rediss:// or valkeys://: the password goes over the network as it is.');
      return ok(`${whom} takes signals and gives them back`);
    } catch (error) {
      return fail(
        `${whom} cannot be used: ${wordsOf(error)}`,
        'Is it up, 6.2 or later, and may the user of SIGNAL_URL use the key triptych:signals? Without SIGNAL_URL, and after a restart, signals go through the database.',
      );
    }
  },
};
