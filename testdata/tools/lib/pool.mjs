// A driver that feeds JSON lines to short-lived worker processes of the same script.
//
// The Dawn binding can abort the process (after about 1,400 modules it does so for sure), and a driver bug can
// hang it. So a worker gets a batch of bounded weight, and a worker that dies or falls silent costs nothing but
// time: the case in flight is tried once more alone, and only what fails alone is reported as a crash.
import fs from 'node:fs';
import { spawn } from 'node:child_process';
import readline from 'node:readline';

/** Weight of a batch: the number of shader modules that one process may compile. */
export const MAX_MODULES = 250;

function parseArgs(argv) {
  const o = { jobs: 2, timeout: 60, max: MAX_MODULES, files: [] };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--jobs') o.jobs = Math.max(1, Number(argv[++i]));
    else if (argv[i] === '--timeout') o.timeout = Number(argv[++i]);
    else if (argv[i] === '--max') o.max = Math.min(MAX_MODULES, Math.max(1, Number(argv[++i])));
    else o.files.push(argv[i]);
  }
  return o;
}

function readCases(files) {
  const text = files.length ? files.map(f => fs.readFileSync(f, 'utf8')).join('\n') : fs.readFileSync(0, 'utf8');
  return text.split('\n').map((line, n) => ({ line, n: n + 1 })).filter(x => x.line.trim() !== '');
}

/** Calls fire after so many seconds of silence; returns what calls that off. */
function silence(seconds, fire) {
  const timer = setTimeout(fire, seconds * 1000);
  return () => clearTimeout(timer);
}

/** One worker over one batch. Resolves to { done: Map(index -> result line), why, stderr }. */
function runWorker(script, batch, timeout, watch) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [script, '--worker'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const done = new Map();
    let stderr = '', why = '', disarm = () => {};
    const arm = () => {
      disarm();
      disarm = watch(timeout, () => { why = `no answer in ${timeout} s`; child.kill('SIGKILL'); }, child);
    };
    arm();
    child.stdin.on('error', () => {}); // a worker that died reads no more; its exit tells the rest
    child.stdin.end(batch.map(c => JSON.stringify({ i: c.i, text: c.line })).join('\n') + '\n');
    child.stderr.on('data', d => { stderr = (stderr + d).slice(-2000); });
    readline.createInterface({ input: child.stdout }).on('line', line => {
      if (!line.startsWith('{"i":')) return; // Dawn may print on its own account
      const r = JSON.parse(line);
      done.set(r.i, r.result);
      arm();
    });
    child.on('error', e => { why ||= String(e.message); });
    child.on('close', (code, signal) => {
      disarm();
      resolve({ done, why: why || (signal ? `killed by ${signal}` : `exit code ${code}`), stderr: stderr.trim() });
    });
  });
}

/** Drives all cases: results go to stdout in the order of the input. */
async function drive(script, argv, weigh, watch) {
  const o = parseArgs(argv), cases = readCases(o.files), results = new Array(cases.length);
  const queue = [];
  let batch = [], weight = 0;
  cases.forEach((c, i) => {
    let parsed;
    try { parsed = JSON.parse(c.line); } catch (e) {
      results[i] = { id: `line ${c.n}`, messages: [{ severity: 'error', text: `line ${c.n} is no JSON: ${e.message}` }] };
      return;
    }
    const w = Math.max(1, weigh(parsed));
    if (batch.length && weight + w > o.max) { queue.push(batch); batch = []; weight = 0; }
    batch.push({ i, line: c.line, id: parsed.id, alone: false });
    weight += w;
  });
  if (batch.length) queue.push(batch);
  // Two half batches on two processes are faster than one whole batch on one.
  if (queue.length === 1 && queue[0].length > 8 && o.jobs > 1) {
    const one = queue.pop(), per = Math.ceil(one.length / o.jobs);
    for (let k = 0; k < one.length; k += per) queue.push(one.slice(k, k + per));
  }
  let next = 0;
  const flush = () => { let s = ''; while (next < results.length && results[next]) s += JSON.stringify(results[next++]) + '\n'; if (s) process.stdout.write(s); };
  const lane = async () => {
    for (let b; (b = queue.shift());) {
      const r = await runWorker(script, b, o.timeout, watch);
      for (const c of b) if (r.done.has(c.i)) results[c.i] = r.done.get(c.i);
      const left = b.filter(c => !results[c.i]);
      if (left.length) {
        const [hit, ...rest] = left;
        if (hit.alone) {
          results[hit.i] = { id: hit.id, messages: [{ severity: 'crash', text: `the judge's process died on this case: ${r.why}${r.stderr ? ': ' + r.stderr : ''}` }] };
        } else {
          queue.unshift([{ ...hit, alone: true }]);
        }
        if (rest.length) queue.unshift(rest);
      }
      flush();
    }
  };
  await Promise.all(Array.from({ length: o.jobs }, lane));
  flush();
}

/** A worker: answers every case of its batch in order, then leaves without running destructors. */
async function work(handle) {
  const lines = fs.readFileSync(0, 'utf8').split('\n').filter(Boolean);
  for (const line of lines) {
    const { i, text } = JSON.parse(line), c = JSON.parse(text);
    let result;
    try { result = await handle(c); } catch (e) {
      result = { id: c.id, messages: [{ severity: 'error', text: String(e.stack ?? e) }] };
    }
    await new Promise(r => process.stdout.write(JSON.stringify({ i, result }) + '\n', r));
  }
  process.exit(0);
}

/**
 * Runs `script` as driver or, with --worker, as worker.
 * weigh(case) gives the number of modules; handle(case) gives the result object. watch(seconds, fire, child)
 * decides when a worker has been silent for too long and returns what calls that off: the clock, unless a test
 * decides by what the worker does.
 */
export async function main(script, { weigh, handle, watch = silence }) {
  const argv = process.argv.slice(2);
  if (argv[0] === '--worker') await work(handle);
  else await drive(script, argv, weigh, watch);
}
