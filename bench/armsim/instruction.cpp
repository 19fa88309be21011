#include "armsim/instruction.h"

namespace sidecore::armsim {
namespace {

/// Decodes a word of the A64 instruction set ("Arm Architecture Reference Manual", C4).
class Decoder {
 public:
  explicit Decoder(std::uint32_t word) : word_(word) {}

  Instruction decode() {
    switch (bits(28, 25)) {
      case 0b1000:
      case 0b1001:
        immediate();
        break;
      case 0b1010:
      case 0b1011:
        branch();
        break;
      case 0b0100:
      case 0b0110:
      case 0b1100:
      case 0b1110:
        load_store();
        break;
      case 0b0101:
      case 0b1101:
        data_register();
        break;
      case 0b0111:
      case 0b1111:
        vector();
        break;
      default:
        break;
    }
    return out_;
  }

 private:
  [[nodiscard]] std::uint32_t bits(int high, int low) const {
    return (word_ >> low) & ((1U << (high - low + 1)) - 1);
  }
  [[nodiscard]] bool bit(int at) const { return ((word_ >> at) & 1) != 0; }
  [[nodiscard]] std::uint32_t rd() const { return bits(4, 0); }
  [[nodiscard]] std::uint32_t rn() const { return bits(9, 5); }
  [[nodiscard]] std::uint32_t rm() const { return bits(20, 16); }
  [[nodiscard]] std::uint32_t ra() const { return bits(14, 10); }

  void read(Register which) { out_.reads[out_.read_count++] = which; }
  void write(Register which) { out_.writes[out_.write_count++] = which; }
  void read_general(std::uint32_t which) {  // register 31 is the zero register
    if (which != 31) read(static_cast<Register>(which));
  }
  void write_general(std::uint32_t which) {
    if (which != 31) write(static_cast<Register>(which));
  }
  void read_vector(std::uint32_t which) { read(static_cast<Register>(kVectors + which)); }
  void write_vector(std::uint32_t which) { write(static_cast<Register>(kVectors + which)); }

  void immediate() {
    out_.kind = Kind::alu;
    switch (bits(25, 23)) {
      case 0b000:
      case 0b001:
        write_general(rd());
        break;     // adr only writes its result
      case 0b010:  // add and sub (immediate)
        read(static_cast<Register>(rn()));
        if (bit(29)) {
          write(kFlags);
          write_general(rd());
        } else {
          write(static_cast<Register>(rd()));
        }
        break;
      case 0b100:  // logical instructions (immediate)
        read_general(rn());
        if (bits(30, 29) == 3) {
          write(kFlags);
          write_general(rd());
        } else {
          write(static_cast<Register>(rd()));
        }
        break;
      case 0b101:  // move instructions; movk keeps the other bits
        if (bits(30, 29) == 3) read_general(rd());
        write_general(rd());
        break;
      case 0b110:  // bit-field moves
        read_general(rn());
        if (bits(30, 29) == 1) {
          out_.kind = Kind::insert;
          read_general(rd());
        }
        write_general(rd());
        break;
      case 0b111:
        if (rn() != rm()) out_.kind = Kind::extract;
        read_general(rn());
        read_general(rm());
        write_general(rd());
        break;
      default:
        break;
    }
  }

  void branch() {
    out_.kind = Kind::branch;
    switch (bits(31, 29)) {
      case 0b000:
        return;
      case 0b100:
        out_.kind = Kind::branch_link;
        write(30);
        return;
      case 0b001:
      case 0b101:  // compare or test a register, and branch
        out_.conditional = true;
        read_general(rd());
        return;
      case 0b010:
        out_.conditional = true;
        read(kFlags);
        return;
      case 0b110:
        if (bit(25)) {
          read_general(rn());
          out_.indirect = bits(24, 21) != 2;
          if (bits(24, 21) == 1) {
            out_.kind = Kind::branch_link;
            write(30);
          }
          return;
        }
        break;
      default:
        break;
    }
    out_.kind = Kind::none;
    if (bits(31, 22) == 0b1101010100 && bits(21, 20) == 3) {  // mrs reads a system register
      out_.kind = Kind::system;
      write_general(rd());
    }
  }

  void read_base() { read(static_cast<Register>(rn())); }
  void end_address() { out_.address_reads = out_.read_count; }
  void write_base() {
    out_.base_written = true;
    write(static_cast<Register>(rn()));
  }

  void load_store() {
    const bool is_vector = bit(26);
    switch (bits(29, 28)) {
      case 0b00:
        if (is_vector) {
          structures();
        } else {  // exclusive, acquire and release accesses
          const bool loads = bit(22);
          out_.kind = loads ? Kind::load : Kind::store;
          read_base();
          end_address();
          if (loads) {
            write_general(rd());
          } else {
            read_general(rd());
            if (!bit(23)) write_general(rm());
          }
        }
        return;
      case 0b01:  // addresses relative to the program counter
        out_.kind = is_vector ? Kind::vector_load : Kind::load;
        out_.wide = is_vector && bits(31, 30) == 2;
        if (is_vector) {
          write_vector(rd());
        } else {
          write_general(rd());
        }
        return;
      case 0b10:
        return pair(is_vector);
      default:
        return single(is_vector);
    }
  }

  void pair(bool is_vector) {
    const bool loads = bit(22);
    out_.units = 2;
    out_.wide = is_vector ? bits(31, 30) == 2 : bit(31);
    read_base();
    end_address();
    if (is_vector) {
      out_.kind = loads ? Kind::vector_load : Kind::vector_store;
      for (const auto which : {rd(), ra()}) {
        if (loads) {
          write_vector(which);
        } else {
          read_vector(which);
        }
      }
    } else {
      out_.kind = loads ? Kind::load_pair : Kind::store_pair;
      for (const auto which : {rd(), ra()}) {
        if (loads) {
          write_general(which);
        } else {
          read_general(which);
        }
      }
    }
    if (bit(23)) write_base();  // pre- or post-index writes the base
  }

  void single(bool is_vector) {
    bool loads = bits(23, 22) != 0;
    if (is_vector) {
      loads = bit(22);
      out_.wide = bit(23) && bits(31, 30) == 0;
    } else if (bits(23, 22) == 2 && bits(31, 30) == 3) {
      out_.kind = Kind::none;  // a prefetch takes no pipe
      return;
    }
    if (is_vector) {
      out_.kind = loads ? Kind::vector_load : Kind::vector_store;
    } else {
      out_.kind = loads ? Kind::load : Kind::store;
    }
    read_base();
    const bool unsigned_offset = bit(24);
    if (!unsigned_offset && bit(21) && bits(11, 10) == 2) read_general(rm());
    end_address();
    if (is_vector) {
      if (loads) {
        write_vector(rd());
      } else {
        read_vector(rd());
      }
    } else if (loads) {
      out_.prefetches = rd() == 31;
      write_general(rd());
    } else {
      read_general(rd());
    }
    if (!unsigned_offset && !bit(21) && bit(10)) write_base();
  }

  void structures() {
    const bool loads = bit(22);
    std::uint32_t registers = 1;
    bool reads_target = false;
    out_.wide = bit(30);
    if (!bit(24)) {
      bool woven = true;
      switch (bits(15, 12)) {
        case 0b0000:
          registers = 4;
          break;
        case 0b0010:
          registers = 4;
          woven = false;
          break;
        case 0b0100:
          registers = 3;
          break;
        case 0b0110:
          registers = 3;
          woven = false;
          break;
        case 0b0111:
          woven = false;
          break;
        case 0b1000:
          registers = 2;
          break;
        default:
          registers = 2;
          woven = false;
          break;
      }
      if (loads) {
        out_.kind = woven ? Kind::vector_load_weave : Kind::vector_load;
      } else {
        out_.kind = woven ? Kind::vector_store_weave : Kind::vector_store;
      }
    } else {
      registers = ((bits(15, 13) & 1) << 1 | (bit(21) ? 1U : 0U)) + 1;
      reads_target = bits(15, 13) < 6;
      const bool eight_bytes = bits(15, 14) == 2 && bits(11, 10) == 1;
      if (loads && eight_bytes) out_.half = bit(30) ? Half::high : Half::low;
      out_.kind = loads ? Kind::vector_load_lane : Kind::vector_store_lane;
    }
    out_.units = static_cast<std::uint8_t>(registers);
    read_base();
    if (bit(23) && rm() != 31) read_general(rm());
    end_address();
    for (std::uint32_t index = 0; index < registers; ++index) {
      const std::uint32_t which = (rd() + index) % 32;
      if (loads) {
        write_vector(which);
        // A load of one lane also reads the register, because it keeps the other lanes. The model
        // reads only the first register, because the others cost nothing more.
        if (reads_target && index == 0) read_vector(which);
      } else {
        read_vector(which);
      }
    }
    if (bit(23)) write_base();
  }

  void data_register() {
    out_.kind = Kind::alu;
    if (!bit(28)) {
      const bool logic = !bit(24);
      const bool extended = bit(24) && bit(21);
      const std::uint32_t amount = bits(15, 10);
      if (extended) {
        if (amount != 0b011000) out_.kind = Kind::alu_shift;
        read(static_cast<Register>(rn()));
      } else {
        if (amount != 0) out_.kind = Kind::alu_shift;
        // Newer cores shift left by up to 4 without extra time, and by any amount in plain logic
        // instructions; see pipeline.cpp.
        if (amount != 0 && ((bits(23, 22) == 0 && amount <= 4) || (logic && bits(30, 29) != 3))) {
          out_.units = 0;
        }
        read_general(rn());
      }
      read_general(rm());
      const bool flags = logic ? bits(30, 29) == 3 : bit(29);
      if (flags) write(kFlags);
      if (extended && !flags) {
        write(static_cast<Register>(rd()));
      } else {
        write_general(rd());
      }
      return;
    }
    if (bit(24)) {
      read_general(rn());
      read_general(rm());
      read_general(ra());
      const bool high = bits(23, 21) == 2 || bits(23, 21) == 6;
      if (high) {
        out_.kind = Kind::multiply_high;
      } else {
        out_.kind = bit(31) && bits(23, 21) == 0 ? Kind::multiply_64 : Kind::multiply;
      }
      write_general(rd());
      return;
    }
    switch (bits(23, 21)) {
      case 0b000:  // add and subtract with carry
        read_general(rn());
        read_general(rm());
        read(kFlags);
        if (bit(29)) write(kFlags);
        write_general(rd());
        return;
      case 0b010:  // conditional compare
        read_general(rn());
        if (!bit(11)) read_general(rm());
        read(kFlags);
        write(kFlags);
        return;
      case 0b100:  // conditional select
        read_general(rn());
        read_general(rm());
        read(kFlags);
        write_general(rd());
        return;
      default:
        read_general(rn());
        if (!bit(30)) {
          read_general(rm());
          if (bits(15, 11) == 1) out_.kind = bit(31) ? Kind::divide_64 : Kind::divide_32;
        }
        write_general(rd());
        return;
    }
  }

  void vector() {
    out_.wide = bit(30);
    if (bit(28)) {
      if (!bit(30)) return float_scalar();
      out_.wide = false;  // scalar form: one element
    } else if (bit(31)) {
      out_.kind = Kind::vector;
      return;
    }
    out_.kind = Kind::vector;
    if (bit(24)) {
      if (!bit(10)) return by_element();
      // Vector instruction with an immediate.
      if (!bit(28) && bits(22, 19) == 0) {
        // The instructions orr and bic keep the other bits.
        const bool keeps = (bits(15, 12) & 1) != 0 && bits(15, 12) < 12;
        if (keeps) read_vector(rd());
        write_vector(rd());
        return;
      }
      return shift_by_immediate();
    }
    if (bit(21)) {
      if (bit(10)) return three_same();
      if (!bit(11)) return three_different();
      if (bits(20, 17) == 0) return two_registers();
      return across_lanes();
    }
    if (bit(10)) return bit(15) ? three_same() : copy();
    read_vector(rn());
    if (!bit(11) && !bit(29)) {  // table lookups tbl and tbx
      out_.kind = Kind::vector_table;
      out_.units = static_cast<std::uint8_t>(bits(14, 13) + 1);
      for (std::uint32_t index = 1; index < out_.units; ++index) read_vector((rn() + index) % 32);
      if (bit(12)) read_vector(rd());
    } else if (!bit(29) && (bits(14, 12) & 3) != 2 && bit(30)) {
      out_.kind = Kind::vector_zip_wide;
    }
    read_vector(rm());
    write_vector(rd());
  }

  void copy() {
    const std::uint32_t operation = bits(14, 11);
    if (bit(29)) {  // ins from an element
      read_vector(rd());
      read_vector(rn());
      write_vector(rd());
    } else if (operation == 0) {  // dup from an element
      read_vector(rn());
      write_vector(rd());
    } else if (operation == 1 || operation == 3) {  // dup and ins from a general register
      out_.kind = Kind::vector_from_general;
      if (operation == 3) read_vector(rd());
      read_general(rn());
      write_vector(rd());
    } else {  // smov and umov
      out_.kind = Kind::vector_to_general;
      read_vector(rn());
      write_general(rd());
    }
  }

  void set_accumulate() {
    read_vector(rd());
    out_.accumulates = true;
  }
  void set_multiply(bool twice_the_width) {
    out_.kind = out_.wide && !twice_the_width ? Kind::vector_multiply_wide : Kind::vector_multiply;
  }

  void three_same() {
    const std::uint32_t operation = bits(15, 11);
    if (operation >= 0b11000) {
      const bool fused = operation == 0b11001 && !bit(29);
      if (fused) {
        out_.kind = Kind::float_fused;
        set_accumulate();
      } else if (operation == 0b11011) {
        out_.kind = Kind::float_multiply;
      } else if (operation == 0b11111 && bit(29)) {
        out_.kind = Kind::float_divide;
      } else {
        out_.kind = Kind::float_add;
      }
    } else {
      switch (operation) {
        case 0b00011:
          // The instructions bsl, bit and bif also read the target.
          if (bit(29) && bits(23, 22) != 0) read_vector(rd());
          break;
        case 0b01000:
          out_.kind = Kind::vector_shift_by_register;
          break;
        case 0b01001:
        case 0b01010:
        case 0b01011:
          out_.kind = Kind::vector_shift_by_register_complex;
          break;
        case 0b01111:
          out_.kind = Kind::vector_accumulate;
          set_accumulate();
          break;
        case 0b10010:
          set_multiply(false);
          set_accumulate();
          break;
        case 0b10011:
        case 0b10110:
          set_multiply(false);
          break;
        default:
          break;
      }
    }
    read_vector(rn());
    if (rn() != rm()) read_vector(rm());
    write_vector(rd());
  }

  void three_different() {
    out_.wide = false;
    switch (bits(15, 12)) {
      case 0b0100:
      case 0b0110:
        if (bit(30)) read_vector(rd());  // the instruction keeps the lower half of the target
        break;
      case 0b0101:
        out_.kind = Kind::vector_accumulate;
        set_accumulate();
        break;
      case 0b1000:
      case 0b1001:
      case 0b1010:
      case 0b1011:
        set_multiply(true);
        set_accumulate();
        break;
      case 0b1100:
      case 0b1101:
      case 0b1110:
        set_multiply(true);
        break;
      default:
        break;
    }
    read_vector(rn());
    if (rn() != rm()) read_vector(rm());
    write_vector(rd());
  }

  void two_registers() {
    const std::uint32_t operation = bits(16, 12);
    if (operation >= 0b10010 && operation <= 0b10100) out_.wide = false;
    switch (operation) {
      case 0b00110:
        out_.kind = Kind::vector_accumulate;
        set_accumulate();
        break;
      case 0b10010:
        if (bit(29)) out_.kind = Kind::vector_narrow_saturating;
        if (bit(30) && !bit(28)) read_vector(rd());
        break;
      case 0b10100:
        out_.kind = Kind::vector_narrow_saturating;
        if (bit(30) && !bit(28)) read_vector(rd());
        break;
      case 0b10011:
        out_.kind = Kind::vector_shift;
        break;
      case 0b01100:
      case 0b01101:
      case 0b01110:
      case 0b01111:
        out_.kind = Kind::float_add;
        break;
      case 0b11111:
        out_.kind = bit(29) ? Kind::float_divide : Kind::float_convert;
        break;
      default:
        if (operation >= 0b10110) out_.kind = Kind::float_convert;
        break;
    }
    read_vector(rn());
    write_vector(rd());
  }

  void across_lanes() {
    out_.kind = out_.wide ? Kind::vector_reduce_wide : Kind::vector_reduce;
    read_vector(rn());
    write_vector(rd());
  }

  void shift_by_immediate() {
    const std::uint32_t operation = bits(15, 11);
    if (operation >= 0b10000 && operation <= 0b10100) out_.wide = false;
    switch (operation) {
      case 0b00000:
      case 0b10100:
        out_.kind = Kind::vector_shift;
        break;
      case 0b00010:
      case 0b00110:
        out_.kind = Kind::vector_shift_accumulate;
        set_accumulate();
        break;
      case 0b01000:
        out_.kind = Kind::vector_shift;
        read_vector(rd());
        break;
      case 0b01010:
        out_.kind = Kind::vector_shift;
        if (bit(29)) read_vector(rd());
        break;
      case 0b10000:
      case 0b10001:
      case 0b10010:
      case 0b10011:
        out_.kind =
            operation == 0b10000 && !bit(29) ? Kind::vector_shift : Kind::vector_shift_complex;
        if (bit(30) && !bit(28)) read_vector(rd());
        break;
      case 0b11100:
      case 0b11111:
        out_.kind = Kind::float_convert;
        break;
      default:
        out_.kind = Kind::vector_shift_complex;
        break;
    }
    read_vector(rn());
    write_vector(rd());
  }

  void by_element() {
    const std::uint32_t operation = bits(15, 12);
    const std::uint32_t element = bits(23, 22) == 1 ? bits(19, 16) : rm();
    switch (operation) {
      case 0b0001:
      case 0b0101:
        out_.kind = Kind::float_fused;
        set_accumulate();
        break;
      case 0b1001:
        out_.kind = Kind::float_multiply;
        break;
      case 0b0000:
      case 0b0100:
        set_multiply(false);
        set_accumulate();
        break;
      case 0b0010:
      case 0b0110:
      case 0b0011:
      case 0b0111:
        set_multiply(true);
        set_accumulate();
        break;
      case 0b1010:
      case 0b1011:
        set_multiply(true);
        break;
      default:
        set_multiply(false);
        break;
    }
    read_vector(rn());
    read_vector(element);
    write_vector(rd());
  }

  void float_scalar() {
    out_.wide = false;
    if (bit(24)) {
      out_.kind = Kind::float_fused;
      read_vector(ra());
      out_.accumulates = true;
      read_vector(rn());
      read_vector(rm());
      write_vector(rd());
      return;
    }
    out_.kind = Kind::float_add;
    if (!bit(21) || bits(15, 10) == 0) {  // moves from or to general registers
      const std::uint32_t operation = bits(18, 16);
      if (operation == 2 || operation == 3 || operation == 7) {
        out_.kind = Kind::vector_from_general;
        read_general(rn());
        write_vector(rd());
      } else {
        out_.kind = Kind::vector_to_general;
        read_vector(rn());
        write_general(rd());
      }
      return;
    }
    switch (bits(11, 10)) {
      case 0b01:  // floating-point conditional compare
        out_.kind = Kind::float_compare;
        read_vector(rn());
        read_vector(rm());
        read(kFlags);
        write(kFlags);
        return;
      case 0b10:
        if (bits(15, 12) == 0 || bits(15, 12) == 8) out_.kind = Kind::float_multiply;
        if (bits(15, 12) == 1) out_.kind = Kind::float_divide;
        read_vector(rn());
        read_vector(rm());
        write_vector(rd());
        return;
      case 0b11:
        read_vector(rn());
        read_vector(rm());
        read(kFlags);
        write_vector(rd());
        return;
      default:
        break;
    }
    if (bit(12)) {  // fmov with an immediate
      write_vector(rd());
    } else if (bit(13)) {
      out_.kind = Kind::float_compare;
      read_vector(rn());
      if (!bit(3)) read_vector(rm());
      write(kFlags);
    } else {
      if (bits(20, 15) == 3) out_.kind = Kind::float_divide;
      if (bits(20, 15) > 3) out_.kind = Kind::float_convert;
      read_vector(rn());
      write_vector(rd());
    }
  }

  std::uint32_t word_;
  Instruction out_;
};

}  // namespace

Instruction decode(std::uint32_t word) {
  return Decoder(word).decode();
}

}  // namespace sidecore::armsim
