// fxlens in the browser: reads compiled effects and packages, translates them to WGSL, builds packages. The work is done
// in a worker; every function returns a promise of plain objects and typed arrays, which survive a structured clone.
// docs/browser.md describes functions, options and results.

/** What every function throws: a code, a place in the input, what to do, and all findings. */
export class FxlensError extends Error {
  constructor({ code, place = '', message, remedy = '', findings = [] }) {
    super(message);
    this.name = 'FxlensError';
    Object.assign(this, { code, place, remedy, findings });
  }
}

function bytesOf(input) {
  if (input instanceof Uint8Array) return input;
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw new FxlensError({ code: 'input', message: 'the file is given as an ArrayBuffer or a typed array', remedy: 'await response.arrayBuffer()' });
}

export class Fxlens {
  #worker;
  #next = 1;
  #waiting = new Map();
  #dead = null;
  version = '';

  /** Use open() to get one that is ready. */
  constructor(worker) {
    this.#worker = worker;
  }

  /**
   * Starts the compiler. Options: wasm, where fxlens.wasm is (a URL, its bytes, or a WebAssembly.Module); worker, a
   * Worker of worker.mjs, where a bundler makes one.
   */
  static async open({ wasm = new URL('fxlens.wasm', import.meta.url), worker } = {}) {
    worker ??= new Worker(new URL('worker.mjs', import.meta.url), { type: 'module', name: 'fxlens' });
    const self = new Fxlens(worker);
    await new Promise((resolve, reject) => {
      worker.onerror = e => self.#end(`the worker failed: ${e.message || 'it could not be loaded'}`, reject);
      worker.onmessage = ({ data }) => {
        if (data.ready !== undefined) {
          self.version = data.ready;
          resolve();
        } else if (data.fatal) {
          self.#end(data.fatal, reject);
        } else {
          self.#answer(data);
        }
      };
      const direct = wasm instanceof WebAssembly.Module || wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm);
      worker.postMessage({ wasm: direct ? wasm : new URL(wasm, globalThis.location?.href ?? import.meta.url).href });
    });
    return self;
  }

  /** Opens a package, container, effect or program by every rule of its format. */
  read(file, options) { return this.#call('read', file, options); }
  /** Says what a file is; findings of a package don't make it fail. */
  inspect(file, options) { return this.#call('inspect', file, options); }
  /** Compiles what is selected: programs, disassembly, SSA, WGSL, bindings, diagnostics; refusals are part of it. */
  analyzeEffect(file, options) { return this.#call('analyzeEffect', file, options); }
  /** Makes a package of an effect. */
  buildEffect(file, options) { return this.#call('buildEffect', file, options); }
  /** Translates what is selected to WGSL, with layouts for createBindGroupLayout. */
  buildWgsl(file, options) { return this.#call('buildWgsl', file, options); }

  /** Ends the worker. Calls that wait fail with the code "closed". */
  close() {
    this.#end('closed', null, 'closed');
  }

  #call(name, file, options = {}) {
    if (this.#dead) return Promise.reject(this.#dead);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      const message = { id, name, bytes: bytesOf(file), options: JSON.stringify(options) };
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage(message); // the bytes are copied: the caller keeps its own
    });
  }

  #answer({ id, result, error }) {
    const call = this.#waiting.get(id);
    if (!call) return;
    this.#waiting.delete(id);
    if (error) call.reject(new FxlensError(error));
    else call.resolve(result);
  }

  #end(message, reject, code = 'fatal') {
    this.#dead ??= new FxlensError({ code, message, remedy: 'open another one' });
    this.#worker.terminate();
    reject?.(this.#dead);
    for (const call of this.#waiting.values()) call.reject(this.#dead);
    this.#waiting.clear();
  }
}

export const open = options => Fxlens.open(options);
