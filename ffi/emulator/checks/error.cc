#include "emulator/checks/error.h"

#include <cstdarg>
#include <cstdio>

namespace jaxgemm::emulator {

std::string Text(const char* format, ...) {
  va_list arguments, copy;
  va_start(arguments, format);
  va_copy(copy, arguments);
  int size = std::vsnprintf(nullptr, 0, format, copy);
  va_end(copy);
  std::string text(size, '\0');
  std::vsnprintf(text.data(), size + 1, format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace jaxgemm::emulator
