import { Counter, Gauge } from 'prom-client';

/** Apart from what needs the library of the signal server, since every process has these metrics. */
export const signalServerUp = new Gauge({
  name: 'signal_server_up',
  help: 'Whether the server of SIGNAL_URL takes signals of video rooms; 1 where none is named',
});

export const waitingSignals = new Gauge({
  name: 'video_signals_waiting',
  help: 'Signals of video rooms that wait for the server of SIGNAL_URL',
});

export const droppedSignals = new Counter({
  name: 'video_signals_dropped_total',
  help: 'Signals of video rooms that were given up because the server of SIGNAL_URL was away for too long',
});
