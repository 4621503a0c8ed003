// Browsers let no page from a file start a worker. There the search's worker runs in a hidden frame
// instead: the same script, with the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];
    #ready = false;
    onmessage = null;
    onerror = null;
    onmessageerror = null;

    constructor(url) {
      super();
      this.#frame.hidden = true;
      this.#frame.srcdoc = "<!DOCTYPE html><body></body>";
      this.#frame.onload = () => this.#begin(String(new URL(url, location.href)));
      document.body.append(this.#frame);
    }

    #begin(url) {
      const inner = this.#frame.contentWindow;
      // What the script posts comes here.
      inner.postMessage = (message) => {
        const data = structuredClone(message);
        setTimeout(() => this.#tell(new MessageEvent("message", { data })));
      };
      const script = inner.document.createElement("script");
      script.src = url;
      script.onload = () => {
        this.#ready = true;
        for (const data of this.#waiting.splice(0)) this.postMessage(data);
      };
      script.onerror = () => this.#tell(new ErrorEvent("error", { message: `no ${url}` }));
      inner.document.body.append(script);
    }

    #tell(event) {
      this[`on${event.type}`]?.(event);
      this.dispatchEvent(event);
    }

    postMessage(message) {
      if (!this.#ready) return void this.#waiting.push(message);
      const inner = this.#frame.contentWindow;
      const data = structuredClone(message);
      setTimeout(() => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }
  };
}
