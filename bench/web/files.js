// A file system for Go's syscalls, in memory: files of one folder, /. Inputs stay Files of the
// browser and are read part by part; outputs are bytes.
const files = new Map(); // name → {blob} or {bytes, size}
const open = new Map(); // descriptor → {name, node, at, write}
let nextDescriptor = 3;

const constants = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

function failure(code) {
  const e = new Error(code);
  e.code = code;
  return e;
}

const nameOf = (path) => "/" + path.split("/").filter((part) => part && part !== ".").join("/");

function find(path) {
  const name = nameOf(path);
  if (name === "/") return { folder: true };
  const node = files.get(name);
  if (!node) throw failure("ENOENT");
  return node;
}

function stat(node) {
  const mode = node.folder ? 0o040755 : node.terminal ? 0o020600 : 0o100644;
  const size = node.blob ? node.blob.size : node.size || 0;
  return { dev: 1, ino: 1, mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: Math.ceil(size / 512), atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => !!node.folder };
}

function handle(fd) {
  const h = open.get(fd);
  if (!h) throw failure("EBADF");
  return h;
}

function truncate(node, size) {
  const bytes = new Uint8Array(size);
  bytes.set(node.bytes.subarray(0, Math.min(size, node.size)));
  node.bytes = bytes;
  node.size = size;
}

// say gets what the command prints to standard output (1) or error (2).
function newFileSystem(say) {
  const calls = {
    open(path, flags) {
      const name = nameOf(path);
      let node = name === "/" ? { folder: true } : files.get(name);
      if (node && flags & constants.O_CREAT && flags & constants.O_EXCL) throw failure("EEXIST");
      if (!node && !(flags & constants.O_CREAT)) throw failure("ENOENT");
      if (node && node.folder && flags & 3) throw failure("EISDIR");
      if (node && node.blob && flags & 3) throw failure("EROFS");
      if (!node) files.set(name, (node = { bytes: new Uint8Array(0), size: 0 }));
      if (flags & constants.O_TRUNC && flags & 3) truncate(node, 0);
      open.set(nextDescriptor, { name, node, at: flags & constants.O_APPEND ? node.size : 0 });
      return nextDescriptor++;
    },
    close(fd) {
      open.delete(fd);
    },
    read(fd, buffer, offset, length, position) {
      if (fd === 0) return 0;
      const h = handle(fd);
      const at = position === null ? h.at : position;
      let part;
      if (h.node.blob) part = new Uint8Array(new FileReaderSync().readAsArrayBuffer(h.node.blob.slice(at, at + length)));
      else if (h.node.bytes) part = h.node.bytes.subarray(at, Math.min(at + length, h.node.size));
      else throw failure("EISDIR");
      buffer.set(part, offset);
      if (position === null) h.at += part.length;
      return part.length;
    },
    write(fd, buffer, offset, length, position) {
      const part = buffer.subarray(offset, offset + length);
      if (fd === 1 || fd === 2) {
        say(fd, part);
        return length;
      }
      const h = handle(fd);
      const at = position === null ? h.at : position;
      const node = h.node;
      if (at + length > node.bytes.length) {
        const size = node.size;
        truncate(node, Math.max(at + length, 2 * node.bytes.length));
        node.size = size;
      }
      node.bytes.set(part, at);
      node.size = Math.max(node.size, at + length);
      if (position === null) h.at += length;
      return length;
    },
    fstat: (fd) => stat(fd < 3 ? { terminal: fd === 2 } : handle(fd).node),
    stat: (path) => stat(find(path)),
    lstat: (path) => stat(find(path)),
    ftruncate: (fd, size) => truncate(handle(fd).node, size),
    truncate: (path, size) => truncate(find(path), size),
    rename(from, to) {
      files.set(nameOf(to), find(from));
      files.delete(nameOf(from));
    },
    unlink(path) {
      find(path);
      files.delete(nameOf(path));
    },
    readdir(path) {
      if (!find(path).folder) throw failure("ENOTDIR");
      return [...files.keys()].map((name) => name.slice(1));
    },
    mkdir() {
      throw failure("EPERM");
    },
    rmdir() {
      throw failure("EPERM");
    },
    readlink() {
      throw failure("EINVAL");
    },
  };
  const fs = { constants };
  for (const name of ["fsync", "chmod", "fchmod", "chown", "fchown", "lchown", "utimes"]) calls[name] = () => {};
  for (const name of ["link", "symlink"])
    calls[name] = () => {
      throw failure("ENOSYS");
    };
  for (const [name, call] of Object.entries(calls)) {
    fs[name] = (...all) => {
      const done = all.pop();
      let result;
      try {
        result = call(...all);
      } catch (e) {
        done(e.code ? e : failure("EIO"));
        return;
      }
      done(null, result);
    };
  }
  return fs;
}
