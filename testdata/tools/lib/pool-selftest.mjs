// A judge that misbehaves on demand, for the test of the pool.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from './pool.mjs';

await main(fileURLToPath(import.meta.url), {
  weigh: () => 1,
  handle: async c => {
    if (c.do === 'abort') process.abort();
    if (c.do === 'hang') {
      process.stderr.write('hanging\n');
      await new Promise(r => setTimeout(r, 1e6));
    }
    if (c.do === 'throw') throw new Error('thrown on demand');
    if (c.do === 'abort once') {
      const mark = path.join(process.env.POOL_SELFTEST_DIR, 'once');
      if (!fs.existsSync(mark)) { fs.writeFileSync(mark, ''); process.abort(); }
    }
    return { id: c.id, messages: [] };
  },
  // Silence is what a worker announces, not what a clock measures: on a busy machine an honest worker may need more
  // than any short time to start.
  watch: (seconds, fire, child) => {
    const heard = d => { if (String(d).includes('hanging')) fire(); };
    child.stderr.on('data', heard);
    return () => child.stderr.off('data', heard);
  },
});
