import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 30;

/** Prints the files that took longest, after a run of more files than that. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const slowest = modules.map(measureDuration).sort((a, b) => b.wall - a.wall);
    console.log(`\nThe ${SHOWN} slowest files, in seconds (processor: of the test process alone):\n   wall processor`);
    for (const { name, wall, processor } of slowest.slice(0, SHOWN)) console.log(`${seconds(wall)}    ${seconds(processor)}  ${name}`);
  }
}

function measureDuration(module: TestModule) {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return { name: module.relativeModuleId, wall: collectDuration + setupDuration + duration, processor: module.meta().processorTime ?? 0 };
}

const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(6);
