import { Gauge } from 'prom-client';

/** A gauge of what jobs see. It has no value until one sets it: a process that runs no jobs would show 0. */
export function jobGauge(name: string, help: string): Gauge {
  const gauge = new Gauge({ name, help });
  gauge.remove();
  return gauge;
}
