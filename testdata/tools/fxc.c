/* fxc: compiles HLSL with Microsoft's d3dcompiler_47.dll, under Wine or on Windows.
 *
 *   fxc.exe DLL < JOBS
 *
 * One job a line, fields separated by tabs, paths relative to the working folder:
 *   source  entry  target  flags  out.dxbc  out.asm  defines
 * flags: names of the table below joined by commas, or "-"; defines: NAME=VALUE joined by spaces, or "-".
 * Answers one line a job, "OK out.dxbc BYTES" or "FAIL source entry target: message", and leaves with 1 if any
 * failed. The dll comes with the npm package webgpu (dist/win32-x64); it is not ours to distribute.
 */
#define COBJMACROS
#include <windows.h>
#include <d3dcompiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef HRESULT(WINAPI *compile_fn)(LPCVOID, SIZE_T, LPCSTR, const D3D_SHADER_MACRO *, ID3DInclude *, LPCSTR, LPCSTR, UINT, UINT, ID3DBlob **, ID3DBlob **);
typedef HRESULT(WINAPI *disassemble_fn)(LPCVOID, SIZE_T, UINT, LPCSTR, ID3DBlob **);
typedef HRESULT(WINAPI *strip_fn)(LPCVOID, SIZE_T, UINT, ID3DBlob **);

#define STRIP 0x80000000u /* ours: drop reflection and debug data afterwards */

static const struct {
    const char *name;
    UINT bits;
} flag_names[] = {
    {"-", 0},
    {"O0", 1u << 14},
    {"O1", 0},
    {"O2", 3u << 14},
    {"O3", 1u << 15},
    {"Od", 1u << 2},
    {"novalidation", 1u << 1},
    {"rowmajor", 1u << 3},
    {"partialprecision", 1u << 5},
    {"avoidflow", 1u << 9},
    {"preferflow", 1u << 10},
    {"strict", 1u << 11},
    {"compat", 1u << 12},
    {"ieee", 1u << 13},
    {"mayalias", 1u << 19},
    {"unbounded", 1u << 20},
    {"allbound", 1u << 21},
    {"strip", STRIP},
};

static int parse_flags(char *s, UINT *bits) {
    *bits = 0;
    for (char *p = strtok(s, ","); p; p = strtok(NULL, ",")) {
        size_t k = 0, n = sizeof flag_names / sizeof *flag_names;
        while (k < n && strcmp(p, flag_names[k].name)) k++;
        if (k == n) return 0;
        *bits |= flag_names[k].bits;
    }
    return 1;
}

static char *read_all(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *p = malloc(*size + 1);
    *size = fread(p, 1, *size, f);
    fclose(f);
    return p;
}

static int write_all(const char *path, const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f) return 0;
    int ok = fwrite(p, 1, n, f) == n;
    return fclose(f) == 0 && ok;
}

/* The listing ends in a NUL and has CR LF line ends on some builds: neither is kept. */
static int write_text(const char *path, const char *p, size_t n) {
    char *q = malloc(n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n && p[i]; i++)
        if (p[i] != '\r') q[k++] = p[i];
    int ok = write_all(path, q, k);
    free(q);
    return ok;
}

int main(int argc, char **argv) {
    HMODULE dll = LoadLibraryA(argc > 1 ? argv[1] : "d3dcompiler_47.dll");
    if (!dll) {
        fprintf(stderr, "fxc: cannot load the compiler: give the path of d3dcompiler_47.dll\n");
        return 2;
    }
    compile_fn compile = (compile_fn)GetProcAddress(dll, "D3DCompile");
    disassemble_fn disassemble = (disassemble_fn)GetProcAddress(dll, "D3DDisassemble");
    strip_fn strip = (strip_fn)GetProcAddress(dll, "D3DStripShader");
    static char line[16384];
    int failed = 0;
    while (fgets(line, sizeof line, stdin)) {
        char *field[7];
        int n = 0;
        line[strcspn(line, "\r\n")] = 0;
        for (char *p = line; p && n < 7;) {
            char *tab = strchr(p, '\t');
            if (tab) *tab++ = 0;
            field[n++] = p;
            p = tab;
        }
        if (n < 7) continue;
        D3D_SHADER_MACRO macros[65];
        int m = 0;
        for (char *p = strtok(field[6], " "); p && m < 64; p = strtok(NULL, " ")) {
            char *eq = strchr(p, '=');
            if (!eq) continue;
            *eq = 0;
            macros[m].Name = p;
            macros[m++].Definition = eq + 1;
        }
        macros[m].Name = macros[m].Definition = NULL;
        UINT flags;
        size_t size;
        char *source = read_all(field[0], &size);
        ID3DBlob *code = NULL, *errors = NULL, *text = NULL;
        const char *why = NULL;
        if (!source) why = "cannot read the source";
        else if (!parse_flags(field[3], &flags)) why = "unknown flag";
        else if (FAILED(compile(source, size, field[0], macros, D3D_COMPILE_STANDARD_FILE_INCLUDE, field[1], field[2], flags & ~STRIP, 0, &code, &errors)))
            why = errors ? (char *)ID3D10Blob_GetBufferPointer(errors) : "the compiler gave no message";
        if (!why && (flags & STRIP)) {
            ID3DBlob *bare = NULL;
            if (FAILED(strip(ID3D10Blob_GetBufferPointer(code), ID3D10Blob_GetBufferSize(code), 1 | 2 | 4, &bare))) why = "D3DStripShader failed";
            else code = bare;
        }
        if (!why && !write_all(field[4], ID3D10Blob_GetBufferPointer(code), ID3D10Blob_GetBufferSize(code))) why = "cannot write the bytecode";
        if (!why && FAILED(disassemble(ID3D10Blob_GetBufferPointer(code), ID3D10Blob_GetBufferSize(code), 0, NULL, &text))) why = "D3DDisassemble failed";
        if (!why && !write_text(field[5], ID3D10Blob_GetBufferPointer(text), ID3D10Blob_GetBufferSize(text))) why = "cannot write the listing";
        if (why) {
            failed++;
            printf("FAIL %s %s %s: %s\n", field[0], field[1], field[2], why);
        } else {
            printf("OK %s %lu\n", field[4], (unsigned long)ID3D10Blob_GetBufferSize(code));
        }
        fflush(stdout);
        free(source);
    }
    return failed != 0;
}
